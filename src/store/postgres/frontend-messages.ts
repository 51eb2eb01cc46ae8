// Encodes the client's messages for prepared statements by the Postgres protocol: all in one
// buffer, and so in one write.

export type SentValue = string | number | bigint | boolean | null | undefined;

export interface Sent {
  readonly name: string;
  readonly text: string;
  readonly values: readonly SentValue[];
  /**
   * `known`: parsed and described before. `in_doubt`: perhaps parsed, so its name is freed first.
   */
  readonly state: 'new' | 'known' | 'in_doubt';
}

/** After the first failure, Postgres executes none of the rest. */
export function encodeStatements(statements: readonly Sent[]): Buffer {
  const writer = new Writer();
  for (const statement of statements) writeStatement(writer, statement);
  writer.begin('S');
  writer.end();
  return writer.bytes();
}

function writeStatement(writer: Writer, { name, text, values, state }: Sent): void {
  if (state === 'in_doubt') {
    writer.begin('C');
    writer.byte(statementKind);
    writer.text(name);
    writer.end();
  }
  if (state !== 'known') {
    writer.begin('P');
    writer.text(name);
    writer.text(text);
    writer.int16(0);
    writer.end();
  }
  writer.begin('B');
  writer.text('');
  writer.text(name);
  // Values and columns both as text.
  writer.int16(0);
  writer.int16(values.length);
  for (const value of values) writer.value(value);
  writer.int16(0);
  writer.end();
  if (state !== 'known') {
    writer.begin('D');
    writer.byte(portalKind);
    writer.text('');
    writer.end();
  }
  writer.begin('E');
  writer.text('');
  writer.int32(0);
  writer.end();
}

const statementKind = 'S'.charCodeAt(0);
const portalKind = 'P'.charCodeAt(0);

/** Small enough for Node's buffer pool. */
const firstSize = 2_048;
/** Up to this length, allocating too much is cheaper than measuring. */
const measuredFrom = 1_024;

class Writer {
  #buffer = Buffer.allocUnsafe(firstSize);
  #at = 0;
  #lengthAt = 0;

  begin(type: string): void {
    this.#ensure(5);
    this.#buffer[this.#at] = type.charCodeAt(0);
    this.#lengthAt = this.#at + 1;
    this.#at += 5;
  }

  end(): void {
    this.#buffer.writeInt32BE(this.#at - this.#lengthAt, this.#lengthAt);
  }

  byte(value: number): void {
    this.#ensure(1);
    this.#buffer[this.#at++] = value;
  }

  int16(value: number): void {
    this.#ensure(2);
    this.#at = this.#buffer.writeUInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#ensure(4);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  /** Zero-terminated. */
  text(value: string): void {
    this.#write(value);
    this.byte(0);
  }

  /** Prefixed by its length. */
  value(value: SentValue): void {
    if (value === null || value === undefined) {
      this.int32(-1);
      return;
    }
    const lengthAt = this.#at;
    this.int32(0);
    this.#write(typeof value === 'string' ? value : String(value));
    this.#buffer.writeInt32BE(this.#at - lengthAt - 4, lengthAt);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #write(text: string): void {
    if (text.length === 0) return;
    this.#ensure(text.length < measuredFrom ? text.length * 3 : Buffer.byteLength(text));
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
  }

  #ensure(size: number): void {
    if (this.#buffer.length - this.#at >= size) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + size));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
