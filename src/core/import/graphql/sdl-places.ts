// The locations of types in SDL. The parser can locate every node, but then keeps all tokens, which
// triples its time. So this records the names while they are read. Only if members of a definition
// are invalid, that definition is parsed again for their locations.

import { Lexer, Source, type Token, TokenKind } from 'graphql/language';

export interface NamedDefinition {
  /** The keyword before the name: `type`, `enum`. */
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
  /** The beginning of the definition, after its description. */
  readonly from: Position;
}

/** A class, because the parser accepts a lexer class in place of its own. */
export class PlacingLexer extends Lexer {
  /** Names after a keyword outside of all brackets: definitions, and little else. */
  readonly names: NamePlace[] = [];
  /** The positions after each closing brace that is outside of all brackets. */
  readonly ends: number[] = [];
  private depth = 0;
  private wordBefore: Token | undefined;

  constructor(sdl: string) {
    super(new Source(sdl));
  }

  override advance(): Token {
    const before = this.token;
    const token = super.advance();
    // Each token refers to the previous one, so without this all would stay in memory until the
    // end.
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

/** The locations of definitions, in the order of the text. */
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

/** The text of a definition, at least up to the end of its members. */
export function textFrom({ source, ends }: PlacingLexer, { from }: NamePlace): string {
  return source.body.slice(
    from.start,
    ends.find((end) => end > from.start),
  );
}

/** Converts the position of a token in `textFrom` to one in the whole text. */
export function placeWithin({ from }: NamePlace, { line, column }: Token): string {
  return line === 1
    ? placeOf({ line: from.line, column: from.column + column - 1 })
    : placeOf({ line: from.line + line - 1, column });
}

/** @example placeOf({ line: 3, column: 1 }) // 'line 3, column 1' */
export function placeOf({ line, column }: Pick<Token, 'line' | 'column'>): string {
  return `line ${line}, column ${column}`;
}
