// The complement of a form. "Not" is carried down to the atoms, whose complements are atoms.

import {
  andForm,
  approximation,
  atMostOneForm,
  atomForm,
  notTerm,
  orForm,
  twoOfForm,
} from './forms.ts';
import type { Atom, Form, Store } from './forms.types.ts';

export function notForm(store: Store, form: Form): Form {
  if (form.negation !== undefined) return form.negation;
  const made = negationOf(store, form);
  form.negation = made;
  made.negation ??= form;
  return made;
}

function negationOf(store: Store, form: Form): Form {
  switch (form.tag) {
    case 'everything':
      return store.nothing;
    case 'nothing':
      return store.everything;
    case 'and':
      return orForm(
        store,
        form.parts.map((part) => notForm(store, part)),
      );
    case 'or':
      return andForm(
        store,
        form.parts.map((part) => notForm(store, part)),
      );
    case 'at_most_one':
      return twoOfForm(store, form.parts);
    case 'two_of':
      return atMostOneForm(store, form.parts);
    case 'approximation':
      return approximation(store, {
        name: `not ${form.name}`,
        over: notForm(store, form.under),
        under: notForm(store, form.over),
      });
    default:
      return negatedAtom(store, form);
  }
}

function negatedAtom(store: Store, atom: Atom): Form {
  switch (atom.tag) {
    case 'values':
      return atomForm(store, { tag: 'other_values', values: atom.values });
    case 'other_values':
      return atomForm(store, { tag: 'values', values: atom.values });
    case 'low':
      return atomForm(store, { tag: 'high', bound: atom.bound, isOpen: !atom.isOpen });
    case 'high':
      return atomForm(store, { tag: 'low', bound: atom.bound, isOpen: !atom.isOpen });
    case 'multiple':
      return atomForm(store, { tag: 'no_multiple', of: atom.of });
    case 'no_multiple':
      return atomForm(store, { tag: 'multiple', of: atom.of });
    case 'min_length':
    case 'min_items':
    case 'min_keys':
      return atomForm(store, { tag: opposite[atom.tag], count: atom.count - 1 });
    case 'max_length':
    case 'max_items':
    case 'max_keys':
      return atomForm(store, { tag: opposite[atom.tag], count: atom.count + 1 });
    case 'pattern':
    case 'no_pattern':
      return atomForm(store, { tag: opposite[atom.tag], source: atom.source });
    case 'format':
    case 'no_format':
      return atomForm(store, { tag: opposite[atom.tag], name: atom.name });
    case 'each_item':
    case 'some_item': {
      const { from, to } = atom;
      return atomForm(store, {
        tag: opposite[atom.tag],
        from,
        to,
        term: notTerm(store, atom.term),
      });
    }
    case 'min_count':
      return atomForm(store, { tag: 'max_count', count: atom.count - 1, term: atom.term });
    case 'max_count':
      return atomForm(store, { tag: 'min_count', count: atom.count + 1, term: atom.term });
    case 'unique':
      return atomForm(store, { tag: 'repeated' });
    case 'repeated':
      return atomForm(store, { tag: 'unique' });
    case 'property':
    case 'has':
      return atomForm(store, {
        ...{ tag: opposite[atom.tag], key: atom.key, term: notTerm(store, atom.term) },
      });
    case 'each_key':
    case 'some_key':
      return atomForm(store, {
        ...{ tag: opposite[atom.tag], region: atom.region, term: notTerm(store, atom.term) },
      });
    case 'unknown':
    case 'not_unknown': {
      const { name, place, reason } = atom;
      return atomForm(store, { tag: opposite[atom.tag], name, place, reason });
    }
    default:
      return atom satisfies never;
  }
}

const opposite = {
  min_length: 'max_length',
  max_length: 'min_length',
  min_items: 'max_items',
  max_items: 'min_items',
  min_keys: 'max_keys',
  max_keys: 'min_keys',
  pattern: 'no_pattern',
  no_pattern: 'pattern',
  format: 'no_format',
  no_format: 'format',
  each_item: 'some_item',
  some_item: 'each_item',
  property: 'has',
  has: 'property',
  each_key: 'some_key',
  some_key: 'each_key',
  unknown: 'not_unknown',
  not_unknown: 'unknown',
} as const;
