// The story of `make run` for needs: of three consumers, one reads two fields, one has not said what it
// reads, and one was found by dbt and has confirmed that. A change removes a third field. Each way to
// look at it must say the same, so each test of a way reads this.

export const before = ['id', 'amount', 'note'] as const;
export const after = ['id', 'amount'] as const;

export const readsTwo = { fields: ['$.id', '$.amount'] };

export const foundByDbt = {
  origin: 'dbt',
  source: 'logistics',
  places: [{ place: 'models/parcels.sql', fields: ['$.id'] }],
} as const;

export const counts = { breaks: 0, mayBreak: 1, unaffected: 2 };
