// A graph as a picture of boxes that are links. One of them has the keyboard focus; arrow keys move
// along the lines, or to the nearest box. The picture fits its frame at first; it can be zoomed, and
// moved with the mouse.

import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Loading } from '../parts/states.tsx';
import { navigate } from '../router.tsx';
import '../style/graph.css';
import { words } from '../words.ts';
import { Arrows, EdgeLine, NodeBox, type ShownEdge, type ShownNode } from './graph-drawing.tsx';
import { stepFrom } from './graph-steps.ts';
import type { GraphEdge, Layout, LayoutSizes } from './layered-layout.ts';
import { useLayout } from './use-layout.ts';
import { useMoving, useZoom } from './use-zoom.ts';

const sizes: LayoutSizes = { nodeWidth: 200, nodeHeight: 46, columnGap: 62, rowGap: 14 };
/** Between columns with labelled lines. */
const labelledSizes: LayoutSizes = { ...sizes, columnGap: 140 };
const margin = 12;
/** With more boxes, one is easier to find by its name. */
const searchFrom = 20;

interface Graph {
  readonly label: string;
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  /** The box that is visible at first and has the keyboard focus. */
  readonly startAt: string;
}

/** A graph in columns. */
export function LayeredGraph(graph: Graph) {
  const isLabelled = graph.edges.some(({ label }) => label !== undefined);
  const chosen = isLabelled ? labelledSizes : sizes;
  const layout = useLayout(graph.nodes, graph.edges, chosen);
  if (layout === null) return <Loading />;
  return <GraphView {...graph} layout={layout} sizes={chosen} />;
}

export function GraphView({
  label,
  nodes,
  edges,
  startAt,
  layout,
  sizes,
  backdrop = null,
}: Graph & {
  readonly layout: Layout;
  readonly sizes: LayoutSizes;
  /** Stands for most of the lines; those of the current box are drawn over it. */
  readonly backdrop?: ReactNode;
}) {
  const [active, setActive] = useState(startAt);
  const frame = useRef<HTMLElement>(null);
  const shown = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const looks = useMemo(() => new Map(edges.map((edge) => [keyOf(edge), edge])), [edges]);
  const width = layout.width + 2 * margin;
  const height = layout.height + 2 * margin;
  const zoom = useZoom(frame, width, height);
  const moving = useMoving(frame);
  const { scale } = zoom;
  useStart(frame, layout, startAt, zoom.isFitted ? scale : null);
  const current = shown.has(active) ? active : startAt;
  const goTo = (id: string) => {
    setActive(id);
    const boxes = frame.current?.querySelectorAll<SVGAElement>('[data-node]') ?? [];
    [...boxes].find((box) => box.dataset.node === id)?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    const expandTo = shown.get(current)?.expandTo;
    if (event.key === '+' && expandTo !== undefined) navigate(expandTo);
    const next = stepFrom(event.key, current, layout);
    if (next === null) return;
    event.preventDefault();
    goTo(next);
  };
  const isNear = (edge: GraphEdge) => edge.from === current || edge.to === current;
  const drawn = backdrop === null ? layout.edges : layout.edges.filter(isNear);
  return (
    <div className="graph">
      <div className="graph-tools">
        {nodes.length > searchFrom && <Find nodes={nodes} onFind={goTo} />}
        <span className="hint">{words.graph.keys}</span>
        <button type="button" className="button" disabled={!zoom.out} onClick={zoom.out}>
          {words.graph.smaller}
        </button>
        <button type="button" className="button" disabled={!zoom.in} onClick={zoom.in}>
          {words.graph.larger}
        </button>
        <button type="button" className="button" onClick={zoom.fit}>
          {words.graph.fit}
        </button>
      </div>
      <section ref={frame} className="graph-frame" aria-label={label} onKeyDown={walk} {...moving}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section names it; a title would be a tip */}
        <svg
          width={width * scale}
          height={height * scale}
          viewBox={`${-margin} ${-margin} ${width} ${height}`}
        >
          <Arrows sizes={sizes} />
          {backdrop}
          {drawn.map((edge) => (
            <EdgeLine
              key={keyOf(edge)}
              edge={edge}
              shown={looks.get(keyOf(edge))}
              isNear={isNear(edge)}
            />
          ))}
          {layout.nodes.map((place) => (
            <NodeBox
              key={place.id}
              place={place}
              node={shown.get(place.id)}
              sizes={sizes}
              isCurrent={place.id === current}
              onReach={() => setActive(place.id)}
            />
          ))}
        </svg>
      </section>
    </div>
  );
}

/** A field that moves the focus to the first box whose text contains what is typed. */
function Find({
  nodes,
  onFind,
}: {
  readonly nodes: readonly ShownNode[];
  readonly onFind: (id: string) => void;
}) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const has = (part: (name: string) => boolean) =>
    nodes.find(({ spoken, title }) => part(title.toLowerCase()) || part(spoken.toLowerCase()));
  const found =
    wanted === ''
      ? undefined
      : (has((name) => name === wanted) ??
        has((name) => name.startsWith(wanted)) ??
        has((name) => name.includes(wanted)));
  return (
    <form
      className="graph-find"
      onSubmit={(event) => {
        event.preventDefault();
        if (found !== undefined) onFind(found.id);
      }}
    >
      <input
        type="search"
        aria-label={words.graph.find}
        placeholder={words.graph.find}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="hint" role="status">
        {wanted !== '' && (found?.title ?? words.graph.notFound)}
      </span>
    </form>
  );
}

function keyOf({ from, to }: GraphEdge): string {
  return JSON.stringify([from, to]);
}

/** Scrolls a graph that is larger than its frame to its main box, once for each graph. */
function useStart(
  frame: React.RefObject<HTMLElement | null>,
  layout: Layout,
  id: string,
  /** Null as long as it is not known. */
  scale: number | null,
): void {
  const done = useRef<Layout | null>(null);
  useEffect(() => {
    const place = layout.nodes.find((node) => node.id === id);
    const box = frame.current;
    if (scale === null || place === undefined || box === null || done.current === layout) return;
    done.current = layout;
    box.scrollTo({
      left: (place.x + sizes.nodeWidth / 2 + margin) * scale - box.clientWidth / 2,
      top: (place.y + sizes.nodeHeight / 2 + margin) * scale - box.clientHeight / 2,
    });
  }, [frame, layout, id, scale]);
}
