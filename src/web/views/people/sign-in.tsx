// The sign-in form.

import { type FormEvent, useEffect, useState } from 'react';
import { basePath } from '../../base-path.ts';
import type { Refusal } from '../../data/shapes.ts';
import { useTitle } from '../../parts/bits.tsx';
import { TextField } from '../../parts/form/form.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { refineQuery } from '../../router.tsx';
import {
  fetchSignInOptions,
  findSignInProblem,
  providerUrl,
  type Session,
  type SignedIn,
  type SignInOptions,
  signInWithKey,
  signInWithPassword,
} from '../../session/auth.ts';
import { words } from '../../words.ts';

type SignInMethod = 'password' | 'key';

export function SignIn({
  hasEnded,
  onSignedIn,
}: {
  readonly hasEnded: boolean;
  readonly onSignedIn: (session: Session) => void;
}) {
  useTitle(words.session.title);
  const [options, setOptions] = useState<SignInOptions | null>(null);
  const [chosen, setWay] = useState<SignInMethod | null>(null);
  const [problem] = useState(findSignInProblem);
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  useEffect(() => {
    // Told once: it is no part of where the page continues.
    if (problem !== null) refineQuery({ sign_in_problem: '' });
    void fetchSignInOptions().then(setOptions);
  }, [problem]);
  const ways = waysOf(options);
  const way = chosen ?? ways[0] ?? null;
  const enter = async (signingIn: Promise<SignedIn>) => {
    setRunning(true);
    setRefusal(null);
    const result = await signingIn;
    setRunning(false);
    if (result.ok) onSignedIn(result.session);
    else setRefusal(result.refusal);
  };
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <p className="brand">
          <img src={`${basePath}/mark.svg`} alt="" width="32" height="32" />
          {words.product}
        </p>
        <p className="muted">{words.tagline}</p>
        <h1>{words.session.title}</h1>
        {hasEnded && <p className="note">{words.session.ended}</p>}
        {problem !== null && (
          <RefusalNote refusal={{ code: problem, message: words.session.problems[problem] }} />
        )}
        {options !== null && <Providers providers={options.providers} />}
        {ways.length > 1 && (
          <div className="segments">
            {ways.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={way === one}
                onClick={() => setWay(one)}
              >
                {one === 'password' ? words.session.withPassword : words.session.withKey}
              </button>
            ))}
          </div>
        )}
        {way === 'password' && <PasswordForm isRunning={isRunning} onEnter={enter} />}
        {way === 'key' && <KeyForm isRunning={isRunning} onEnter={enter} />}
        <RefusalNote refusal={refusal === null ? null : explain(refusal, way)} />
      </div>
    </main>
  );
}

/** Empty until the registry has said what it accepts. */
function waysOf(options: SignInOptions | null): readonly SignInMethod[] {
  if (options === null) return [];
  return options.passwords ? ['password', 'key'] : ['key'];
}

function Providers({ providers }: Pick<SignInOptions, 'providers'>) {
  if (providers.length === 0) return null;
  return (
    <div className="stack sign-in-providers">
      {providers.map(({ name, title }) => (
        <a key={name} className="button button-main" href={providerUrl(name)}>
          {words.session.withProvider(title)}
        </a>
      ))}
    </div>
  );
}

interface FormProps {
  readonly isRunning: boolean;
  readonly onEnter: (signingIn: Promise<SignedIn>) => void;
}

function PasswordForm({ isRunning, onEnter }: FormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning) onEnter(signInWithPassword(email, password));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={words.session.email}
        type="email"
        name="email"
        autoComplete="username"
        required
        value={email}
        onText={setEmail}
      />
      <TextField
        label={words.session.password}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      <EnterButton isRunning={isRunning} />
    </form>
  );
}

function KeyForm({ isRunning, onEnter }: FormProps) {
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning) onEnter(signInWithKey(key.trim()));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={words.session.key}
        hint={words.session.keyHint}
        type="password"
        name="key"
        autoComplete="off"
        required
        value={key}
        onText={setKey}
      />
      <EnterButton isRunning={isRunning} />
    </form>
  );
}

function EnterButton({ isRunning }: { readonly isRunning: boolean }) {
  return (
    <button type="submit" className="button button-main" aria-disabled={isRunning}>
      {isRunning ? words.session.signingIn : words.session.signIn}
    </button>
  );
}

function explain(refusal: Refusal, way: SignInMethod | null): Refusal {
  const isKeyUnknown = way === 'key' && refusal.code === 'UNAUTHENTICATED';
  return isKeyUnknown ? { ...refusal, message: words.session.wrongKey } : refusal;
}
