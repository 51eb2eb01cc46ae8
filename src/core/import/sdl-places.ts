// Where the types of an SDL stand. The parser can tell for every node, but keeps all its tokens for
// that, which takes three times as long as parsing: so the names are noted as they are read.

import { Lexer, Source, type Token, TokenKind } from 'graphql/language';

export interface NamedDefinition {
  /** The word before the name: `type`, `enum`. */
  readonly keyword: string;
  readonly name: string;
}

interface NamePlace extends NamedDefinition {
  readonly place: string;
}

/** A class because the parser takes one in place of its own. */
export class PlacingLexer extends Lexer {
  /** Names after a word, outside of all brackets: definitions, and little else. */
  readonly names: NamePlace[] = [];
  private depth = 0;

  constructor(sdl: string) {
    super(new Source(sdl));
  }

  override advance(): Token {
    const before = this.token;
    const token = super.advance();
    this.depth += depthChanges.get(token.kind) ?? 0;
    if (this.depth === 0 && token.kind === TokenKind.NAME && before.kind === TokenKind.NAME) {
      const place = `line ${token.line}, column ${token.column}`;
      this.names.push({ keyword: before.value, name: token.value, place });
    }
    return token;
  }
}

const depthChanges: ReadonlyMap<string, number> = new Map([
  ...[TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L].map((kind) => [kind, 1] as const),
  ...[TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R].map((kind) => [kind, -1] as const),
]);

/** The places of definitions, in their order in the text that the lexer has read. */
export function placesOf(
  { names }: PlacingLexer,
  definitions: readonly NamedDefinition[],
): readonly string[] {
  let at = 0;
  return definitions.map(({ keyword, name }) => {
    while (at < names.length && (names[at]?.keyword !== keyword || names[at]?.name !== name)) at++;
    return names[at++]?.place ?? '$';
  });
}
