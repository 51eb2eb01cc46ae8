// An editor of schemas in JSON and YAML that marks faults and changes beside the lines. It lives in a
// shadow root, which can adopt style sheets: the page's policy forbids inline ones.

import { autocompletion, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  ensureSyntaxTree,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import {
  Compartment,
  EditorState,
  Prec,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state';
import {
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Dialect } from '../../core/schema/dialects.ts';
import type { JsonObject } from '../../core/value/json.ts';
import { stepsOf } from '../../core/value/json-path.ts';
import { complete } from './complete.ts';
import { isYamlText } from './read-text.ts';
import { findPlaces, type TextPlace } from './text-places.ts';

export interface EditorHandle {
  /** Selects the text at this path, or at its nearest parent in the text. */
  readonly jumpTo: (path: string) => void;
}

/** A message about a part of the text. */
export interface EditorNote {
  /** A path, or a line and column; null for the first syntax error. */
  readonly at: string | { readonly line: number; readonly column: number } | null;
  readonly tone: 'error' | 'warning' | 'breaking' | 'compatible';
  readonly text: string;
}

interface EditorProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  /** Called after a pause in typing, and when the editor is left. */
  readonly onText: (text: string) => void;
  /** About `text`; shown until the text changes. */
  readonly notes: readonly EditorNote[];
  readonly isInvalid: boolean;
  /** The schema from the last time that the text could be read, for completion. */
  readonly schema: JsonObject;
  readonly dialect: Dialect | undefined;
  readonly ref?: Ref<EditorHandle>;
}

/** Long documents are read after a pause of this length, so that typing does not wait for them. */
const pauseMs = 120;

export function SchemaEditor(props: EditorProps) {
  const { text, notes, isInvalid, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const open = useRef<OpenEditor | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (host.current === null) return;
    const editor = openEditor(host.current, latest);
    open.current = editor;
    return () => {
      editor.close();
      open.current = null;
    };
  }, []);
  useEffect(() => open.current?.replace(text), [text]);
  useEffect(() => open.current?.show(notes, isInvalid), [notes, isInvalid]);
  useImperativeHandle(ref, () => ({ jumpTo: (path) => open.current?.jumpTo(path) }), []);
  return <div ref={host} className="schema-editor" />;
}

interface OpenEditor {
  replace(text: string): void;
  show(notes: readonly EditorNote[], isInvalid: boolean): void;
  jumpTo(path: string): void;
  close(): void;
}

function openEditor(host: HTMLElement, latest: { readonly current: EditorProps }): OpenEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  /** The text that the page was told last. */
  let told = latest.current.text;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const text = view.state.doc.toString();
    if (text === told) return;
    told = text;
    latest.current.onText(text);
  };
  // Closing a window does not blur the editor.
  addEventListener('pagehide', tell);
  const language = new Compartment();
  const about = new Compartment();
  const aboutOf = (isInvalid: boolean) =>
    EditorView.contentAttributes.of({
      'aria-label': latest.current.label,
      'aria-description': latest.current.hint,
      'aria-invalid': String(isInvalid),
      autocapitalize: 'none',
      spellcheck: 'false',
      // Tab reaches it anyway; this tells tools that check the page.
      tabindex: '0',
    });
  let isYaml = isYamlText(told);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: told,
      extensions: [
        ...parts,
        autocompletion({
          icons: false,
          override: [
            (context) => {
              const { schema, dialect } = latest.current;
              return complete(context, { schema, dialect, isYaml });
            },
          ],
        }),
        language.of(isYaml ? yaml() : json()),
        about.of(aboutOf(latest.current.isInvalid)),
        // A click acts on the whole text: one that ends the focus, and one right after the pause.
        EditorView.domEventHandlers({ blur: () => flushSync(tell) }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (!docChanged) return;
          clearTimeout(timer);
          timer = setTimeout(() => flushSync(tell), pauseMs);
        }),
      ],
    }),
  });
  const chooseLanguage = (text: string) => {
    if (isYamlText(text) === isYaml) return;
    isYaml = !isYaml;
    view.dispatch({ effects: language.reconfigure(isYaml ? yaml() : json()) });
  };
  const placesOf = (paths: readonly string[]) => {
    const { state } = view;
    const tree = ensureSyntaxTree(state, state.doc.length, parseMs) ?? syntaxTree(state);
    const read = (from: number, to: number) => state.sliceDoc(from, to);
    return findPlaces(tree, read, paths.map(stepsOf));
  };
  return {
    replace: (text) => {
      chooseLanguage(text);
      if (text === told) return;
      clearTimeout(timer);
      timer = undefined;
      told = text;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    show: (notes, isInvalid) => {
      // These notes are about an earlier text. Those about this one follow.
      if (timer !== undefined) return;
      const { doc } = view.state;
      const paths = notes.flatMap(({ at }) => (typeof at === 'string' ? [at] : []));
      const places = paths.length === 0 ? [] : placesOf(paths);
      let used = 0;
      const placed = notes.map((note) => {
        const { at } = note;
        if (typeof at === 'string') return { note, ...(places[used++] ?? { from: 0, to: 0 }) };
        if (at === null) return { note, ...firstError(view.state) };
        const line = doc.line(Math.min(Math.max(at.line, 1), doc.lines));
        const from = Math.min(line.from + Math.max(at.column - 1, 0), line.to);
        return { note, from, to: Math.min(from + 1, line.to) };
      });
      const changed: typeof placed = [];
      const diagnostics: Diagnostic[] = [];
      for (const one of placed) {
        const { tone: severity, text: message } = one.note;
        if (severity === 'error' || severity === 'warning') {
          const to = Math.min(one.to, doc.lineAt(one.from).to);
          diagnostics.push({ from: one.from, to, severity, message });
        } else changed.push(one);
      }
      view.dispatch(setDiagnostics(view.state, diagnostics), {
        effects: [marksOf(view, changed), about.reconfigure(aboutOf(isInvalid))],
      });
    },
    jumpTo: (path) => {
      const [place] = placesOf([path]);
      if (place === undefined) return;
      view.dispatch({
        selection: { anchor: place.from, head: Math.min(place.to, view.state.doc.length) },
        effects: EditorView.scrollIntoView(place.from, { y: 'center' }),
      });
      view.focus();
    },
    close: () => {
      removeEventListener('pagehide', tell);
      tell();
      view.destroy();
    },
  };
}

/** Some browsers do not say where JSON is wrong, but the syntax tree does. */
function firstError(state: EditorState): TextPlace {
  const tree = ensureSyntaxTree(state, state.doc.length, parseMs) ?? syntaxTree(state);
  let place: TextPlace | null = null;
  tree.iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) place ??= { from, to: Math.max(to, from + 1) };
      return place === null;
    },
  });
  return place ?? { from: 0, to: 1 };
}

/** A document of 1 MiB is parsed in a tenth of this. */
const parseMs = 1_000;

// The gutter of changes

class ChangeMarker extends GutterMarker {
  readonly tone: EditorNote['tone'];
  readonly text: string;
  constructor(tone: EditorNote['tone'], text: string) {
    super();
    this.tone = tone;
    this.text = text;
  }
  override eq(other: ChangeMarker): boolean {
    return other.tone === this.tone && other.text === this.text;
  }
  override toDOM(): Node {
    const mark = document.createElement('span');
    mark.className = `cm-change cm-change-${this.tone}`;
    mark.textContent = this.tone === 'breaking' ? '!' : '+';
    mark.title = this.text;
    return mark;
  }
}

const setMarks = StateEffect.define<RangeSet<ChangeMarker>>();

const marksField = StateField.define<RangeSet<ChangeMarker>>({
  create: () => RangeSet.empty,
  update: (marks, { changes, effects }) => {
    const set = effects.find((effect) => effect.is(setMarks));
    return set?.is(setMarks) ? set.value : marks.map(changes);
  },
});

/** One marker for each line: the tone of its worst change, and the sentences of its first changes. */
function marksOf(
  { state: { doc } }: EditorView,
  placed: readonly { readonly note: EditorNote; readonly from: number }[],
) {
  const lines = new Map<number, EditorNote[]>();
  for (const { note, from } of placed) {
    const line = doc.lineAt(from).from;
    lines.set(line, [...(lines.get(line) ?? []), note]);
  }
  const ranges = [...lines].map(([from, notes]) => {
    const isBreaking = notes.some(({ tone }) => tone === 'breaking');
    const sentences = notes.slice(0, shownSentences).map(({ text }) => text);
    return new ChangeMarker(isBreaking ? 'breaking' : 'compatible', sentences.join('\n')).range(
      from,
    );
  });
  return setMarks.of(RangeSet.of(ranges, true));
}

const shownSentences = 5;

// Appearance. The page's custom properties also apply in the shadow root.

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--calm)' },
  { tag: tags.comment, color: 'var(--text-soft)' },
]);

const noteTheme = (tone: 'error' | 'warning', colour: string) => ({
  [`.cm-lintRange-${tone}`]: {
    backgroundImage: 'none',
    textDecoration: `underline wavy ${colour}`,
    textDecorationSkipInk: 'none',
  },
  [`.cm-lint-marker-${tone}`]: {
    content: 'normal',
    width: '0.6em',
    height: '0.6em',
    margin: '0.25em 0.2em',
    borderRadius: '50%',
    backgroundColor: colour,
  },
  [`.cm-diagnostic-${tone}`]: { borderLeft: `3px solid ${colour}` },
});

const theme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--sunken)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.8125rem', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-soft)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { boxShadow: 'inset 0 0 0 1px var(--line)' },
  '.cm-changes': { width: '1rem', textAlign: 'center' },
  '.cm-change': { display: 'block', fontWeight: '700', cursor: 'help' },
  '.cm-change-breaking': { color: 'var(--bad)', backgroundColor: 'var(--bad-wash)' },
  '.cm-change-compatible': { color: 'var(--good)', backgroundColor: 'var(--good-wash)' },
  // The library draws these as images in its style sheet, which the page's policy does not load.
  ...noteTheme('error', 'var(--bad)'),
  ...noteTheme('warning', 'var(--calm)'),
  '.cm-tooltip, .cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-foldPlaceholder': { color: 'var(--text-soft)', backgroundColor: 'var(--hover)' },
  '.cm-panels input, .cm-panels button': {
    color: 'var(--text)',
    backgroundColor: 'var(--ground)',
    backgroundImage: 'none',
    border: '1px solid var(--line-strong)',
  },
});

const parts = [
  lintGutter(),
  marksField,
  gutter({ class: 'cm-changes', markers: (view) => view.state.field(marksField) }),
  lineNumbers(),
  foldGutter(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  syntaxHighlighting(colours),
  // Escape and then Tab leaves the editor; the hint says so.
  keymap.of([...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
  Prec.low(keymap.of([indentWithTab])),
  EditorState.tabSize.of(2),
  theme,
];
