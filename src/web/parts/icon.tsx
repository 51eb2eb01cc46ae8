// Small icons, drawn on a 16 by 16 grid. They accompany words and never replace them, so they are
// hidden from screen readers.

const shapes = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 5.2v3.6M8 11.2v.1M8 1.8l6.6 11.7H1.4z',
  info: 'M8 7.2v4M8 4.7v.1M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6z',
  clock: 'M8 4.4V8l2.4 1.6M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6z',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  search: 'M7 2.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6zM10.6 10.6l3.4 3.4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  plus: 'M8 3v10M3 8h10',
  home: 'M2.5 7.5L8 2.5l5.5 5M4 6.5v7h8v-7',
  box: 'M8 1.8l5.6 3v6.4L8 14.2l-5.6-3V4.8zM2.6 4.9L8 7.8l5.4-2.9M8 7.8v6.2',
  layers: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  inbox: 'M2 9.5h3.2l1 2h3.6l1-2H14M2 9.5l2-6h8l2 6v4H2z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.4 4h.1M2.4 8h.1M2.4 12h.1',
  people:
    'M6 7.5a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.6 13.4c.3-2.6 2-4 4.4-4s4.1 1.4 4.4 4M10.8 2.9a2.4 2.4 0 0 1 0 4.5M12 9.7c1.4.5 2.2 1.8 2.4 3.7',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.6 14c.4-3 2.4-4.6 5.4-4.6s5 1.6 5.4 4.6',
  bell: 'M8 2v1M3.5 11.5c1-1 1.2-2.2 1.2-4a3.3 3.3 0 0 1 6.6 0c0 1.8.2 3 1.2 4zM6.7 13.6c.7.7 1.9.7 2.6 0',
  key: 'M10.5 2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM8 8l-5.5 5.5M4.5 11.5l2 2',
  swap: 'M4 5.5h9M10.5 3L13 5.5 10.5 8M12 10.5H3M5.5 8L3 10.5 5.5 13',
  flask: 'M6.2 2h3.6M7 2v4.5l-4 7h10l-4-7V2M5 10.5h6',
  upload: 'M8 10.5v-8M4.8 5.5L8 2.3l3.2 3.2M2.5 10.5v3h11v-3',
  download: 'M8 2.5v8M4.8 7.3L8 10.5l3.2-3.2M2.5 10.5v3h11v-3',
  pulse: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  graph: 'M2 3h4v3H2zM10 2h4v3h-4zM10 11h4v3h-4zM6 4.5h4M6 4.5c3 0 1 8 4 8',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  out: 'M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6',
} as const;

export type IconName = keyof typeof shapes;

/** Only the drawing, for use within another picture. */
export function iconPath(name: IconName): string {
  return shapes[name];
}

export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
