import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { FormatName } from '../../../src/core/schema/formats/formats.ts';
import {
  assertsText,
  findFormat,
  formatNames,
  relateFormats,
} from '../../../src/core/schema/formats/formats.ts';
import { decodePunycode } from '../../../src/core/schema/formats/hostname.ts';
import { findNumberFormat } from '../../../src/core/schema/formats/number-formats.ts';
import { accepts, isSubset } from '../../../src/core/schema/patterns/language.ts';

function format(name: string) {
  const found = findFormat(name);
  if (found === null) throw new Error(`${name} is no format`);
  return found;
}

/** What is a member of a format, what is not, and what is left open, since validators differ. */
const table: Record<FormatName, [string[], string[], string[]?]> = {
  'date-time': [
    [
      ...['1963-06-19T08:30:06.283185Z', '1963-06-19t08:30:06z', '1990-12-31T15:59:50.123-08:00'],
      ...['1998-12-31T23:59:60Z', '1998-12-31T15:59:60.123-08:00', '2024-02-29T00:00:00+00:00'],
    ],
    [
      ...['1998-12-31T23:58:60Z', '1998-12-31T22:59:60Z', '1990-02-31T15:59:59.123-08:00'],
      ...[
        '1990-12-31T15:59:59-24:00',
        '1963-06-19T08:30:06.28123+01:00Z',
        '06/19/1963 08:30:06 PST',
      ],
      ...[
        '2013-350T01:01:01',
        '1963-6-19T08:30:06Z',
        '1963-06-1T00:00:00Z',
        '1963-06-1৪T00:00:00Z',
      ],
      ...['1963-06-19T08:30:06', '2023-02-29T00:00:00Z', '1963-06-19 08:30:06Z', '', ' '],
    ],
  ],
  date: [
    [
      '1963-06-19',
      '2020-01-31',
      '2020-02-29',
      '2000-02-29',
      '2400-02-29',
      '0000-02-29',
      '2021-04-30',
    ],
    [
      ...[
        '2020-01-32',
        '2021-02-29',
        '1900-02-29',
        '2100-02-29',
        '2020-04-31',
        '2020-06-31',
        '2020-13-01',
      ],
      ...[
        '2020-00-01',
        '2020-01-00',
        '06/19/1963',
        '2013-350',
        '998-01-01',
        '1998-1-20',
        '1963-06-1৪',
      ],
      ...['20230328', '2023-W13-2', '1963-06-19Z', '-2020-01-01', '12020-01-01'],
    ],
  ],
  time: [
    [
      ...[
        '08:30:06Z',
        '08:30:06.283185Z',
        '08:30:06+00:20',
        '08:30:06-08:00',
        '08:30:06z',
        '23:59:60Z',
      ],
      ...[
        '01:29:60+01:30',
        '23:29:60+23:30',
        '15:59:60-08:00',
        '00:29:60-23:30',
        '23:59:60.52+00:00',
      ],
    ],
    [
      ...[
        '22:59:60Z',
        '23:58:60Z',
        '23:59:60+01:00',
        '23:59:60-01:00',
        '23:59:60+00:30',
        '24:00:00Z',
      ],
      ...['00:60:00Z', '00:00:61Z', '008:030:006Z', '8:3:6Z', '8:0030:6Z', '01:02:03+24:00'],
      ...[
        '01:02:03+00:60',
        '01:02:03Z+00:30',
        '08:30:06 PST',
        '01:01:01,1111',
        '12:00:00',
        '12:00:00.Z',
      ],
      ...['1২:00:00Z', '08:30:06#00:20', 'ab:cd:efZ', '120000Z'],
    ],
  ],
  duration: [
    [
      'P4DT12H30M5S',
      'P4Y',
      'PT0S',
      'P0D',
      'P1M',
      'PT1M',
      'PT36H',
      'P1DT12H',
      'P2W',
      'P1Y2M',
      'PT1H2M',
    ],
    [
      ...[
        'PT1D',
        '4DT12H30M5S',
        'P4DT12H30M5',
        'P',
        'P1YT',
        'PT',
        'P2D1Y',
        'P1D2H',
        'P2S',
        'P1Y2W',
      ],
      ...['P২Y', 'P1', 'P1Y1D', 'PT1H1S', 'P1.5D', 'p1d', 'P-1D', ''],
    ],
  ],
  email: [
    [
      ...[
        'joe.bloggs@example.com',
        'te~st@example.com',
        '~test~@example.com',
        'te.s.t@example.com',
      ],
      ...['"joe bloggs"@example.com', '"joe..bloggs"@example.com', '"joe@bloggs"@example.com'],
      ...[
        'joe.bloggs@[127.0.0.1]',
        'joe.bloggs@[IPv6:::1]',
        'joe@localhost',
        '"a\\"b"@example.com',
      ],
    ],
    [
      ...['2962', '.test@example.com', 'test.@example.com', 'te..st@example.com', 'joe@'],
      ...[
        'joe.bloggs@invalid=domain.com',
        'joe.bloggs@[127.0.0.300]',
        '@example.com',
        'a b@example.com',
      ],
      ...[
        'user1@oceania.org, user2@oceania.org',
        '"Winston Smith" <ws@x.org> (x)',
        'joe@-a.com',
        'é@a.b',
      ],
    ],
    ['a@[tag:x]'],
  ],
  'idn-email': [
    ['실례@실례.테스트', 'joe.bloggs@example.com', 'é@a.b', '"é"@[127.0.0.1]', '\u2028@a'],
    ['2962', '@실례.테스트', 'a..é@a.b'],
    ['a@실례.테A', 'a@😀', 'a@1.א', 'é@[tag:x]'],
  ],
  hostname: [
    [
      ...[
        'www.example.com',
        'xn--4gbwdl.xn--wgbh1c',
        'abcdefghijklmnopqrstuvwxyz-0123456789-long',
        'a',
      ],
      ...['hostname', 'host-name', 'h0stn4me', '1host', 'hostnam3', `${'a'.repeat(63)}.com`, 'A.B'],
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
    ],
    [
      ...[
        '-a-host-name-that-starts-with--',
        'not_a_valid_host_name',
        '-hostname',
        'hostname-',
        '_hostname',
      ],
      ...[
        'hostname_',
        'host_name',
        `${'a'.repeat(64)}.com`,
        'a.',
        '.',
        '',
        'a..b',
        '.a',
        'é.com',
        'a b',
      ],
      ...['xn--', `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}`],
    ],
    ['xn--X', 'XN--aa---o47jg78q', 'ab--cd', 'xn--hello-txk', 'xn--07jceefgh4c', 'xn--a'],
  ],
  'idn-hostname': [
    [
      ...[
        '실례.테스트',
        'hostname',
        'xn--ihqwcrb4cv8a8dqg056pqjye',
        'ß.ς.་.〇',
        'l·l',
        'α͵β',
        'א׳ב',
        'א״ב',
      ],
      ...['・ぁ', 'ب٠ب', '۰0', 'क‍ष'.replace('क', 'क्'), 'क्‌ष', 'ä', 'א1.a', 'a1.א-ב', 'ǰ'],
      // Marks have no direction, so a name with Hebrew points alone is none from right to left.
      ...['a\u05b4', '1.\u4e2d\u064b'],
    ],
    [
      ...[
        '〮실례.테스트',
        '실〮례.테스트',
        `${'실'.repeat(64)}`,
        '-> $1.00 <--',
        'xn--X',
        'XN--aa---o47jg78q',
      ],
      ...[
        '-hello',
        'hello-',
        '\u0903hello',
        '\u0300hello',
        'ـߺ',
        '〱〲〳〴〵〮〯〻',
        'a·l',
        '·l',
        'l·a',
        'l·',
      ],
      ...[
        'α͵S',
        'α͵',
        'A׳ב',
        '׳ב',
        'A״ב',
        'def・abc',
        '・',
        'ب٠۰',
        'क‍ष',
        '‍ष',
        '',
        '.',
        'a..b',
        // RFC 5893: from right to left no label begins with a digit, and none mixes directions.
        ...['1א', 'א1a', '٠a', 'a.1.א', 'a-.א', 'ℵ⃐a'],
        // RFC 5892: what case folding changes, and marks for symbols.
        ...['a⃐', 'a𝅥'],
        ...['a\u2028b', '\u2029'],
      ],
    ],
    [
      // Some validators map these first.
      ...[
        'a\u00adb',
        '\ufeffa',
        'a\u200b',
        'a\ufe0f',
        'A\u0308',
        'a．b',
        'a｡b',
        '실례.A테',
        'ᾳ',
        'a\u0345',
      ],
      // What joins, what is written to the left, and what is no letter yet, by Unicode's newest tables.
      ...['بي‌بي', 'ߊߊ', 'ꭰ', 'Ꭰ', 'ı', '\u{3fff0}'],
    ],
  ],
  ipv4: [
    ['192.168.0.1', '87.10.0.1', '0.0.0.0', '255.255.255.255'],
    [
      ...[
        '127.0.0.0.1',
        '256.256.256.256',
        '127.0',
        '0x7f000001',
        '2130706433',
        '087.10.0.1',
        '1২7.0.0.1',
      ],
      ...['192.168.1.0/24', ' 1.2.3.4', '1.2.3.4\n', '1.2.3.'],
    ],
  ],
  ipv6: [
    [
      ...[
        '::1',
        '::abef',
        '::',
        '::42:ff:1',
        'd6::',
        '1:d6::42',
        '1::d6:192.168.0.1',
        '1:2::192.168.0.1',
      ],
      ...[
        '::ffff:192.168.0.1',
        '1:2:3:4:5:6:7:8',
        '::ffff:255.255.255.255',
        '1:2:3:4:5:6:1.2.3.4',
        '1::8',
      ],
      ...['1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', 'ABCD:EF01:2345:6789:ABCD:EF01:2345:6789'],
    ],
    [
      ...[
        '12345::',
        '1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1',
        '::laptop',
        ':2:3:4:5:6:7:8',
        '1:2:3:4:5:6:7:',
      ],
      ...[
        ':2:3:4::8',
        '1::d6::42',
        '1::2:192.168.256.1',
        '1::2:192.168.ff.1',
        '1:2:3:4:5:::8',
        '1:2:3:4:5:6:7',
      ],
      ...[
        '1',
        '127.0.0.1',
        '1:2:3:4:1.2.3',
        '  ::1',
        '::1  ',
        'fe80::/64',
        'fe80::a%eth1',
        '1000:a::1২',
      ],
      ...['100:100:100:100:100:100:255.255.255.255.255', '1::2:3:4:5:6:7:8'],
    ],
  ],
  uri: [
    [
      ...[
        'http://foo.bar/?baz=qux#quux',
        'http://foo.com/blah_(wikipedia)_blah#cite-1',
        'ldap://[2001:db8::7]/c?a?b',
      ],
      ...[
        'http://foo.bar/?q=Test%20URL-encoded%20stuff',
        'http://xn--nw2a.xn--j6w193g/',
        'tel:+1-816-555-1212',
      ],
      ...[
        "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
        'http://223.255.255.254',
        'urn:oasis:names:x',
      ],
      ...[
        'ftp://ftp.is.co.za/rfc/rfc1808.txt',
        'mailto:John.Doe@example.com',
        'a:',
        'news:comp.x',
        'a:/b',
        'http://',
      ],
    ],
    [
      ...[
        '//foo.bar/?baz=qux#quux',
        '/abc',
        '\\\\WINDOWS\\fileshare',
        'abc',
        'http:// shouldfail.com',
      ],
      ...[
        ':// should fail',
        'bar,baz:foo',
        'https://[@example.org/test.txt',
        'https://example.org/foobar\\.txt',
      ],
      ...[
        'https://example.org/foobar<>.txt',
        'https://example.org/foobar{}.txt',
        'https://example.org/foobar^.txt',
      ],
      ...[
        'https://example.org/foobar`.txt',
        'https://example.org/foo bar.txt',
        'https://example.org/foobar|.txt',
      ],
      ...[
        'http://example.com:80x/',
        'http://a/%zz',
        'http://a/%2',
        '2http://a',
        'http://é/',
        '',
        'a://b:/\u0000',
      ],
    ],
  ],
  'uri-reference': [
    [
      'http://foo.bar/?baz=qux#quux',
      '//foo.bar/?b=q#q',
      '/abc',
      'abc',
      '?q',
      '#frag',
      '',
      './a:b',
      '../x',
    ],
    ['\\\\WINDOWS\\fileshare', '#frag\\ment', 'a b', '1a:b', 'é'],
  ],
  iri: [
    [
      'http://ƒøø.ßår/?∂éœ=πîx#πîüx',
      'http://ƒøø.com/blah_(wîkïpédiå)_blah#ßité-1',
      'http://[2001:0db8::7334]',
    ],
    [
      'http://2001:0db8:85a3:0000:0000:8a2e:0370:7334',
      '/abc',
      '\\\\WINDOWS\\filëßåré',
      'âππ',
      'http://é/\ue000',
    ],
  ],
  'iri-reference': [
    ['http://ƒøø.ßår/?∂éœ=πîx#πîüx', '//ƒøø.ßår/?∂=π', '/âππ', 'âππ', '#ƒrägmênt', '?\ue000'],
    ['\\\\WINDOWS\\filëßåré', '#ƒräg\\mênt', '\ud800'],
  ],
  uuid: [
    [
      '2EB8AA08-AA98-11EA-B4AA-73B441D16380',
      '2eb8aa08-aa98-11ea-b4aa-73b441d16380',
      '00000000-0000-0000-0000-000000000000',
    ],
    [
      ...['2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08aa9811eab4aa73b441d16380', ''],
      ...[
        '2eb8aa08-aa98-11ea-b4ga-73b441d16380',
        '2eb8-aa08-aa98-11ea-b4aa73b44-1d16380',
        '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
      ],
    ],
  ],
  'uri-template': [
    [
      'http://example.com/dictionary/{term:1}/{term}',
      'dictionary',
      '',
      '{?x,y*}',
      '{+a.b}',
      '{#a%20b:9999}',
    ],
    [
      'http://example.com/dictionary/{term:1}/{term',
      '{}',
      '{a b}',
      '{a:0}',
      '{a:10000}',
      '}',
      '<',
      'a%2',
    ],
    ["it's"],
  ],
  'json-pointer': [
    [
      '/foo/bar~0/baz~1/%a',
      '/foo//bar',
      '/foo/bar/',
      '',
      '/foo',
      '/~0~1',
      '/ ',
      '/m~0n',
      '/c%d',
      '/\n',
    ],
    ['/foo/bar~', '/~0~', '#', '#/', '#a', '/~2', '/~-1', '/~~', 'a', '0', 'a/a'],
  ],
  'relative-json-pointer': [
    ['1', '0/foo/bar', '2/0/baz/1/zip', '0#', '120/foo/bar', '0', '9#'],
    ['/foo/bar', '-1/foo/bar', '+1/foo/bar', '0##', '01/a', '01#', '', '1a', '0#/a', '0+01'],
    ['0+1/a', '2-1', '1+0#'],
  ],
  regex: [
    ['([abc])+\\s+$', '', '^(?!a)\\p{L}+$', '(?<n>a)\\k<n>', '[\\w-]'],
    ['^(abc]', '(', '[z-a]', '^\\S(|(.|\\n)*\\S)\\Z', 'a{2,1}', '*', '(?i)a'],
  ],
  byte: [
    ['', 'YQ==', 'YWI=', 'YWJj', '+/+/', 'AAAAAA=='],
    ['Y', 'YQ', 'YQ=', 'YQ===', 'YW-_', 'YWJj\n', '=', 'YQ==YQ=='],
  ],
};

describe('members of formats', () => {
  test('every format has its table', () => {
    expect(Object.keys(table).toSorted()).toEqual(formatNames().toSorted());
  });

  test.each(Object.entries(table))('%s', (name, [members, others, open = []]) => {
    const { isMember, over, under, isExact, samples } = format(name);
    expect(members.filter((text) => !isMember(text))).toEqual([]);
    expect(others.map((text) => [text, isMember(text)])).toEqual(
      others.map((text) => [text, false]),
    );
    expect(open.map((text) => [text, isMember(text)])).toEqual(
      open.map((text) => [text, undefined]),
    );
    expect(samples.filter((text) => !isMember(text))).toEqual([]);
    // The languages around and within it say no more than they know.
    expect([...members, ...samples, ...open].filter((text) => !accepts(over(), text))).toEqual([]);
    expect([...others, ...open].filter((text) => accepts(under(), text))).toEqual([]);
    expect(isSubset(under(), over(), { left: 1e7 })).toBe(true);
    if (isExact) expect(others.filter((text) => accepts(over(), text))).toEqual([]);
  });

  test('what OpenAPI calls double, binary and password, and unknown names, assert nothing', () => {
    const names = ['double', 'binary', 'password', 'toString', 'x', 'int32'];
    expect(names.map((name) => findFormat(name))).toEqual(names.map(() => null));
    const ofNumbers = names.map((name) => findNumberFormat(name, 'openapi-3.1') !== null);
    expect(ofNumbers).toEqual([false, false, false, false, false, true]);
  });

  test('formats of OpenAPI assert in OpenAPI only, all others everywhere', () => {
    const inDialect = (dialect: Dialect) => [
      assertsText('byte', dialect),
      assertsText('uuid', dialect),
      findNumberFormat('int64', dialect) !== null,
    ];
    expect(inDialect('openapi-3.0')).toEqual([true, true, true]);
    expect(inDialect('openapi-3.1')).toEqual([true, true, true]);
    expect(inDialect('2020-12')).toEqual([false, true, false]);
    expect(inDialect('draft-04')).toEqual([false, true, false]);
  });
});

describe('formats beside each other', () => {
  const rows: [FormatName, FormatName, string][] = [
    ['date', 'date', 'equal'],
    ['date', 'date-time', 'disjoint'],
    ['time', 'date-time', 'disjoint'],
    ['uri', 'uri-reference', 'subset'],
    ['uri-reference', 'uri', 'superset'],
    ['uri', 'iri', 'subset'],
    ['uri-reference', 'iri-reference', 'subset'],
    ['email', 'idn-email', 'subset'],
    ['hostname', 'idn-hostname', 'unknown'],
    ['ipv4', 'ipv6', 'disjoint'],
    ['ipv4', 'hostname', 'subset'],
    ['uuid', 'date', 'disjoint'],
    ['email', 'regex', 'unknown'],
    ['date-time', 'regex', 'unknown'],
  ];
  test.each(rows)('%s and %s: %s', (a, b, relation) => {
    expect(relateFormats(format(a), format(b))).toBe(relation);
  });

  test('no relation is contradicted by a text of any table', () => {
    const texts = Object.values(table).flatMap(([members, others]) => [...members, ...others]);
    for (const a of formatNames().map(format)) {
      for (const b of formatNames().map(format)) {
        const relation = relateFormats(a, b);
        const exceptions = texts.filter((text) => {
          const [inA, inB] = [a.isMember(text), b.isMember(text)];
          // What is left open for a format is one of its texts to some validators.
          if (relation === 'subset') return inA !== false && inB === false;
          if (relation === 'superset') return inB !== false && inA === false;
          return relation === 'disjoint' && inA !== false && inB !== false;
        });
        expect([a.name, b.name, relation, exceptions]).toEqual([a.name, b.name, relation, []]);
      }
    }
  });
});

test('what is longer than the longest text of a format is surely none of it', () => {
  const label = 'e\u0301'.repeat(20);
  const texts = [label, 'a'.repeat(60), '\u00e9'.repeat(40), '\uff41'.repeat(60)].map((part) =>
    Array(8).fill(part).join('.'),
  );
  for (const { name, longest, isMember } of formatNames().map(format)) {
    const longer = texts.filter((text) => Array.from(text).length > longest);
    expect([name, longer.filter((text) => isMember(text) !== false)]).toEqual([name, []]);
  }
});

test('Punycode is read as RFC 3492 writes it', () => {
  expect(decodePunycode('egbpdaj6bu4bxfgehfvwxn')).toBe('ليهمابتكلموشعربي؟');
  expect(decodePunycode('ihqwcrb4cv8a8dqg056pqjye')).toBe('他们为什么不说中文');
  expect(decodePunycode('-with-super-monkeys-pc58ag80a8qai00g7n9n')).toBe(
    '安室奈美恵-with-super-monkeys',
  );
  expect(decodePunycode('!')).toBeNull();
  expect(decodePunycode('99999999')).toBeNull();
});
