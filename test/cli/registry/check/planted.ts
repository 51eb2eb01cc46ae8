// Orders with faults that were planted, and their contract.

export const manifest = `apiVersion: concordat.dev/v1
kind: DataContract
metadata: {name: orders}
spec:
  fqn: shop.public.orders
  guarantees:
    freshness: {maxStalenessMinutes: 60, measuredBy: placed_at}
    volume: {minRows: 100}
    nullability: {sku: never}
    acceptedValues: {state: [open, paid]}
    custom: [{type: unique, column: id}]
  schema:
    type: object
    properties:
      id: {type: integer}
      sku: {type: [string, 'null'], pattern: '^[A-Z]{3}-[0-9]+$'}
      quantity: {type: integer, minimum: 1, maximum: 1000}
      price: {type: [number, 'null'], multipleOf: 0.25}
      currency: {enum: [EUR, USD]}
      state: {type: string}
      email: {type: string, format: email, x-classification: pii}
      note: {type: [string, 'null'], maxLength: 10}
      placed_at: {type: string, format: date-time}
`;

/** Ten good rows, and then the faults. */
export const rows = [
  ...Array.from({ length: 10 }, (_, index) => orderOf({ id: index })),
  ...[orderOf({ id: 3 }), orderOf({ id: 20, sku: 'abc-1' }), orderOf({ id: 21, sku: null })],
  ...[
    orderOf({ id: 22, quantity: 0 }),
    orderOf({ id: 23, quantity: 1001 }),
    orderOf({ id: 24, price: 1.3 }),
  ],
  ...[orderOf({ id: 25, currency: 'GBP' }), orderOf({ id: 26, state: 'lost' })],
  ...[orderOf({ id: 27, email: 'ada' }), orderOf({ id: 28, note: 'far too long' })],
];

export function orderOf(own: object) {
  const usual = { id: 0, sku: 'ABC-1', quantity: 5, price: 1.25, currency: 'EUR', state: 'open' };
  return { ...usual, email: 'ada@example.com', note: null, placed_at: '2024-05-01', ...own };
}

/** The rules that must fail, and in how many rows. */
export const faults = [
  ['$.currency enum', 1],
  ['$.email format', 1],
  ['$.note maxLength', 1],
  ['$.price multipleOf', 1],
  ['$.quantity maximum', 1],
  ['$.quantity minimum', 1],
  ['$.sku pattern', 1],
  ['accepted_values.state', 1],
  ['custom.unique.id', 2],
  ['freshness', null],
  ['nullability.sku', 1],
  ['volume.min_rows', null],
];
