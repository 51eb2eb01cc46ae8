// The smallest edits of a new schema that would make it compatible. Each edit is tried, and kept only
// if the comparison then no longer reports its break.

import type { Change, CompareOptions, ContractTerms } from '../comparison.ts';
import { isSameJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepsOf } from '../value/json-path.ts';
import { percentDecoded, readPointerToken } from '../value/pointer-token.ts';
import { placeText } from './change-text.ts';
import { compare } from './compare.ts';

export interface Suggestion {
  /** In words, such as: keep `email`, and mark it as deprecated. */
  readonly edits: readonly string[];
  readonly schema: Json;
  /** Whether the schema with these edits is compatible. */
  readonly isWhole: boolean;
}

interface Edit {
  readonly schema: Json;
  readonly text: string;
}

/** A schema with more breaks than this is another schema. */
const maxBreaks = 50;

/** Null if nothing breaks, or if no edit helps. */
export function suggestCompatible(
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions,
): Suggestion | null {
  let { schema } = next;
  const edits: string[] = [];
  const given = new Set<string>();
  const breaksOf = (tried: Json) =>
    compare(old, { ...next, schema: tried }, options).changes.filter(({ breaking }) => breaking);
  let breaks = breaksOf(schema);
  if (breaks.length > maxBreaks) return null;
  for (;;) {
    const broken = breaks.find((each) => !given.has(keyOf(each)));
    if (broken === undefined) break;
    given.add(keyOf(broken));
    for (const edit of editsOf(broken, old.schema, schema)) {
      const left = breaksOf(edit.schema);
      const isFixed = !left.some((each) => keyOf(each) === keyOf(broken));
      if (!isFixed || left.length > breaks.length) continue;
      schema = edit.schema;
      breaks = left;
      edits.push(edit.text);
      break;
    }
  }
  return edits.length === 0 ? null : { edits, schema, isWhole: breaks.length === 0 };
}

function keyOf({ type, path }: Change): string {
  return `${type} ${path}`;
}

/** From the gentlest edit to that of taking the old schema back at this place. */
function editsOf(change: Change, old: Json, next: Json): readonly Edit[] {
  const steps = stepsOf(change.path);
  const named = `\`${placeText(change.path)}\``;
  const was = valueAt(old, steps);
  const is = valueAt(next, steps);
  const set = (value: Json, text: string): readonly Edit[] => {
    const schema = withValue(next, steps, value);
    return schema === null ? [] : [{ schema, text }];
  };
  const back = was === undefined ? [] : set(was, `keep ${named} as it was`);
  switch (change.type) {
    case 'property_removed': {
      const kept = isJsonObject(was) ? { ...was, deprecated: true } : was;
      return kept === undefined ? [] : set(kept, `keep ${named}, and mark it as deprecated`);
    }
    case 'required_added':
      return withRequired(next, steps, false, `do not require ${named}`);
    case 'required_removed':
      return withRequired(next, steps, true, `still require ${named}`);
    case 'enum_values_removed':
    case 'type_changed':
    case 'type_narrowed':
      return [
        ...(isJsonObject(was) && isJsonObject(is) ? unions(was, is, set, named) : []),
        ...back,
      ];
    default:
      return back;
  }
}

/** Both what was allowed and what is allowed now. */
function unions(
  was: JsonObject,
  is: JsonObject,
  set: (value: Json, text: string) => readonly Edit[],
  named: string,
): readonly Edit[] {
  return ['enum', 'type'].flatMap((key) => {
    const [before, after] = [listed(was[key]), listed(is[key])];
    if (before.length === 0 || after.length === 0) return [];
    const all = [...after, ...before.filter((one) => !after.some((each) => isSameJson(each, one)))];
    return set({ ...is, [key]: all }, `let ${named} be what it was as well as what it is`);
  });
}

function listed(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The path names the property; the object around it has the list. */
function withRequired(
  schema: Json,
  steps: readonly Step[],
  isRequired: boolean,
  text: string,
): readonly Edit[] {
  const at = steps.lastIndexOf('properties');
  const name = steps[at + 1];
  if (at < 0 || name === undefined || at + 2 !== steps.length) return [];
  const around = steps.slice(0, at);
  const holder = valueAt(schema, around);
  if (!isJsonObject(holder)) return [];
  const names = listed(holder.required).filter((each) => each !== name);
  const required = isRequired ? [...names, String(name)] : names;
  const { required: _before, ...rest } = holder;
  const edited = withValue(schema, around, required.length === 0 ? rest : { ...rest, required });
  return edited === null ? [] : [{ schema: edited, text }];
}

type Step = string | number;

function valueAt(root: Json, steps: readonly Step[]): Json | undefined {
  const place = placeOf(root, steps);
  return place === null ? undefined : readAt(root, place);
}

function readAt(root: Json, steps: readonly Step[]): Json | undefined {
  let value: Json | undefined = root;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/**
 * The steps in the text of the document, where a step leads through a local reference. Null if the
 * place above the last step is not there.
 */
function placeOf(root: Json, steps: readonly Step[]): readonly Step[] | null {
  let place: Step[] = [];
  for (const [index, step] of steps.entries()) {
    for (let hops = 0; hops < maxHops; hops++) {
      const value = readAt(root, place);
      const target = isJsonObject(value) && !Object.hasOwn(value, step) ? value.$ref : undefined;
      if (typeof target !== 'string' || !target.startsWith('#/')) break;
      place = target
        .slice(2)
        .split('/')
        .map((token) => readPointerToken(percentDecoded(token)));
    }
    place = [...place, step];
    if (readAt(root, place) === undefined && index < steps.length - 1) return null;
  }
  return place;
}

const maxHops = 16;

function withValue(root: Json, steps: readonly Step[], value: Json): Json | null {
  const place = placeOf(root, steps);
  return place === null ? null : replaced(root, place, value);
}

function replaced(root: Json, place: readonly Step[], value: Json): Json | null {
  const [step, ...rest] = place;
  if (step === undefined) return value;
  const inner = Array.isArray(root) ? root[Number(step)] : isJsonObject(root) ? root[step] : null;
  const next = rest.length === 0 ? value : replaced(inner ?? {}, rest, value);
  if (next === null) return null;
  if (Array.isArray(root)) return root.map((item, index) => (index === step ? next : item));
  return isJsonObject(root) ? { ...root, [step]: next } : null;
}
