// Where the types of an SDL stand. The parser can tell for every node, but keeps all its tokens for
// that, which takes three times as long as parsing: so the names are noted as they are read, and
// where members of a definition are wrong it alone is parsed again, for their places.

import { Lexer, Source, type Token, TokenKind } from 'graphql/language';

export interface NamedDefinition {
  /** The word before the name: `type`, `enum`. */
  readonly keyword: string;
  readonly name: string;
}

interface Position {
  readonly start: number;
  readonly line: number;
  readonly column: number;
}

interface NamePlace extends NamedDefinition {
  readonly place: string;
  /** Where the definition begins, past its description. */
  readonly from: Position;
}

/** A class because the parser takes one in place of its own. */
export class PlacingLexer extends Lexer {
  /** Names after a word, outside of all brackets: definitions, and little else. */
  readonly names: NamePlace[] = [];
  /** Behind each closing brace that is outside of all brackets. */
  readonly ends: number[] = [];
  private depth = 0;
  private wordBefore: Token | undefined;

  constructor(sdl: string) {
    super(new Source(sdl));
  }

  override advance(): Token {
    const before = this.token;
    const token = super.advance();
    // Each token holds the one before it: so all of them would stay until the last is read.
    forgetBefore(before);
    this.depth += depthChanges.get(token.kind) ?? 0;
    if (this.depth > 0) return token;
    if (token.kind === TokenKind.BRACE_R) this.ends.push(token.end);
    if (token.kind === TokenKind.NAME && before.kind === TokenKind.NAME) {
      const word = this.wordBefore;
      const { start, line, column } = word?.value === 'extend' ? word : before;
      const from = { start, line, column };
      this.names.push({ keyword: before.value, name: token.value, place: placeOf(token), from });
    }
    this.wordBefore = before.kind === TokenKind.NAME ? before : undefined;
    return token;
  }
}

function forgetBefore(token: { prev: Token | null }): void {
  token.prev = null;
}

const depthChanges: ReadonlyMap<string, number> = new Map([
  ...[TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L].map((kind) => [kind, 1] as const),
  ...[TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R].map((kind) => [kind, -1] as const),
]);

/** The places of definitions, in their order in the text that the lexer has read. */
export function placesOf(
  { names }: PlacingLexer,
  definitions: readonly NamedDefinition[],
): readonly (NamePlace | undefined)[] {
  let at = 0;
  return definitions.map(({ keyword, name }) => {
    while (at < names.length && (names[at]?.keyword !== keyword || names[at]?.name !== name)) at++;
    return names[at++];
  });
}

/** A definition's own text, with at least its members in it. */
export function textFrom({ source, ends }: PlacingLexer, { from }: NamePlace): string {
  return source.body.slice(
    from.start,
    ends.find((end) => end > from.start),
  );
}

/** Where a token of `textFrom` stands in the whole text. */
export function placeWithin({ from }: NamePlace, { line, column }: Token): string {
  return line === 1
    ? placeOf({ line: from.line, column: from.column + column - 1 })
    : placeOf({ line: from.line + line - 1, column });
}

/** @example placeOf({ line: 3, column: 1 }) // 'line 3, column 1' */
export function placeOf({ line, column }: Pick<Token, 'line' | 'column'>): string {
  return `line ${line}, column ${column}`;
}
