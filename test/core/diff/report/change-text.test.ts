import { describe, expect, test } from 'vitest';
import { placeText, valueText } from '../../../../src/core/diff/change-text.ts';

describe('A place is written as people write it', () => {
  test.each([
    ['$', '(root)'],
    ['$.properties.lines.items.properties.sku', 'lines[].sku'],
    ['$.items', '[]'],
    ['$.properties["a b"].prefixItems[2]', '["a b"][2]'],
    ['$.properties.request.properties.query.required', 'request.query'],
    ['$.properties.pay.oneOf[1].properties.iban', 'pay (variant 2).iban'],
    ['$.anyOf[0].then.properties.a', '(variant 1) (then).a'],
    ['$.properties.tags.additionalProperties', 'tags.*'],
    ['$.patternProperties["^x-"].allOf[0].properties.a', '/^x-/.a'],
    ['$.$defs.Money.properties.amount', '$defs.Money.properties.amount'],
    ['$.guarantees.freshness', 'guarantees.freshness'],
  ])('%s is %s', (path, text) => {
    expect(placeText(path)).toBe(text);
  });
});

describe('A value is one line', () => {
  const wide = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`field_${index}`, 0]));

  test('and a short one stands there whole', () => {
    expect(valueText({ id: 0 }, ['id'])).toBe('{"id":0}');
  });

  test('and of a long one, what is beside the place is counted', () => {
    expect(valueText(wide, ['field_7'])).toBe('{"field_7": 0, … 40 more fields}');
    const nested = { lines: [{ ...wide, sku: 'x' }, wide] };
    expect(valueText(nested, ['lines', null, 'sku'])).toBe(
      '{"lines": [{"sku": "x", … 41 more fields}, … 1 more item]}',
    );
  });

  test('and long text is cut', () => {
    const text = valueText({ note: 'x'.repeat(500) }, ['note']);
    expect(text.length).toBeLessThan(150);
    expect(text).toMatch(/^\{"note": "x+…\}$/);
  });
});
