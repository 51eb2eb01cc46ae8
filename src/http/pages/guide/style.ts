/** Supports light and dark, narrow and wide, without a script. */
export const guideStyle = `
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --weak: #57606a; --paper: #ffffff; --band: #f4f6f8; --line: #d0d7de; --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3; --weak: #9aa5b1; --paper: #0f1318; --band: #171c23; --line: #303841; --link: #79b8ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  font: 1rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  overflow-wrap: anywhere;
}
a { color: var(--link); }
nav { padding: 1.5rem; background: var(--band); border-right: 1px solid var(--line); min-height: 100vh; }
nav .home { font-weight: 700; font-size: 1.2rem; text-decoration: none; color: var(--ink); }
nav h2 { margin: 1.5rem 0 0.25rem; font-size: 0.8rem; color: var(--weak); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; text-decoration: none; }
nav li a:hover, nav li a:focus-visible { text-decoration: underline; }
nav li a[aria-current] { font-weight: 700; color: var(--ink); }
main { padding: 1.5rem 2.5rem 4rem; max-width: 60rem; }
main:focus { outline: none; }
h1, h2, h3, h4 { line-height: 1.25; }
main h2 { margin-top: 2.5rem; }
code { font: 0.9em ui-monospace, monospace; background: var(--band); padding: 0.1em 0.3em; border-radius: 3px; }
pre { overflow-x: auto; padding: 1rem; background: var(--band); border: 1px solid var(--line); border-radius: 6px; }
pre code { padding: 0; background: none; }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--band); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--paper); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { min-height: 0; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`;
