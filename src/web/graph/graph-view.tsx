// A graph as a picture of boxes that are links. One of them has the keyboard focus; arrow keys move
// along the lines, or to the nearest box.

import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type IconName, iconPath } from '../parts/icon.tsx';
import { Link } from '../router.tsx';
import '../style/graph.css';
import { words } from '../words.ts';
import { stepFrom } from './graph-steps.ts';
import {
  type GraphEdge,
  type GraphNode,
  type Layout,
  type LayoutSizes,
  layOut,
  type PlacedEdge,
  type PlacedNode,
  type Point,
} from './layered-layout.ts';

export interface ShownNode extends GraphNode {
  readonly to: string;
  readonly title: string;
  readonly detail: string;
  /** The full content of the box, for screen readers. */
  readonly spoken: string;
  readonly look: 'plain' | 'focus' | 'pending';
  readonly icon?: IconName;
}

export interface ShownEdge extends GraphEdge {
  readonly look: 'plain' | 'pending';
  readonly label?: string;
}

const sizes: LayoutSizes = { nodeWidth: 200, nodeHeight: 46, columnGap: 62, rowGap: 14 };
/** Between columns with labelled lines. */
const labelledGap = 140;
/** A return line runs this far below the line in the other direction. */
const backShift = 9;
/** The position of labels, so that those of two lines between the same boxes do not overlap. */
const aboveLine = -6;
const belowLine = 15;
const margin = 12;
const zooms = [0.4, 0.55, 0.75, 1] as const;
/** The smallest size that is chosen automatically; below it, names are not readable. */
const leastFit = zooms.indexOf(0.75);

export function GraphView({
  label,
  nodes,
  edges,
  startAt,
}: {
  readonly label: string;
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  /** The box that is visible at first and has the keyboard focus. */
  readonly startAt: string;
}) {
  const layout = useMemo(() => {
    const isLabelled = edges.some(({ label: words }) => words !== undefined);
    const columnGap = isLabelled ? labelledGap : sizes.columnGap;
    return layOut(nodes, edges, { ...sizes, columnGap });
  }, [nodes, edges]);
  const [chosen, setZoom] = useState<number | null>(null);
  const [active, setActive] = useState(startAt);
  const frame = useRef<HTMLElement>(null);
  const shown = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const looks = useMemo(() => new Map(edges.map((edge) => [keyOf(edge), edge])), [edges]);
  const fitting = useFitting(frame, layout.width + 2 * margin);
  const zoom = chosen ?? fitting;
  const scale = zooms[zoom] ?? 1;
  useScrollTo(frame, layout, startAt, scale);
  const current = shown.has(active) ? active : startAt;
  const walk = (event: KeyboardEvent) => {
    const next = stepFrom(event.key, current, layout);
    if (next === null) return;
    event.preventDefault();
    setActive(next);
    const boxes = frame.current?.querySelectorAll<SVGAElement>('[data-node]') ?? [];
    [...boxes].find((box) => box.dataset.node === next)?.focus();
  };
  const width = layout.width + 2 * margin;
  const height = layout.height + 2 * margin;
  return (
    <div className="graph">
      <GraphTools zoom={zoom} onZoom={setZoom} />
      <section ref={frame} className="graph-frame" aria-label={label} onKeyDown={walk}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section names it; a title would be a tip */}
        <svg
          width={width * scale}
          height={height * scale}
          viewBox={`${-margin} ${-margin} ${width} ${height}`}
        >
          <Arrows />
          {layout.edges.map((edge) => (
            <EdgeLine
              key={keyOf(edge)}
              edge={edge}
              shown={looks.get(keyOf(edge))}
              isNear={edge.from === current || edge.to === current}
            />
          ))}
          {layout.nodes.map((place) => (
            <NodeBox
              key={place.id}
              place={place}
              node={shown.get(place.id)}
              isCurrent={place.id === current}
              onReach={() => setActive(place.id)}
            />
          ))}
        </svg>
      </section>
    </div>
  );
}

function GraphTools({
  zoom,
  onZoom,
}: {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}) {
  return (
    <div className="graph-tools">
      <span className="hint">{words.graph.keys}</span>
      <button
        type="button"
        className="button"
        disabled={zoom === 0}
        onClick={() => onZoom(zoom - 1)}
      >
        {words.graph.smaller}
      </button>
      <button
        type="button"
        className="button"
        disabled={zoom === zooms.length - 1}
        onClick={() => onZoom(zoom + 1)}
      >
        {words.graph.larger}
      </button>
    </div>
  );
}

function Arrows() {
  return (
    <defs>
      <clipPath id="graph-box">
        <rect width={sizes.nodeWidth} height={sizes.nodeHeight} />
      </clipPath>
      {(['plain', 'pending', 'near'] as const).map((look) => (
        <marker
          key={look}
          id={`arrow-${look}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path className={`graph-arrow graph-arrow-${look}`} d="M1 1l6 3-6 3z" />
        </marker>
      ))}
    </defs>
  );
}

function EdgeLine({
  edge,
  shown,
  isNear,
}: {
  readonly edge: PlacedEdge;
  readonly shown: ShownEdge | undefined;
  readonly isNear: boolean;
}) {
  const look = shown?.look ?? 'plain';
  const isBack = (edge.points[0]?.x ?? 0) > (edge.points.at(-1)?.x ?? 0);
  const points = isBack ? shifted(edge.points) : edge.points;
  const place = labelPlace(points);
  return (
    <g className={`graph-edge graph-edge-${look} ${isNear ? 'graph-edge-near' : ''}`} aria-hidden>
      <path
        d={curveThrough(points)}
        markerEnd={`url(#arrow-${isNear && look === 'plain' ? 'near' : look})`}
      />
      {shown?.label !== undefined && place !== null && (
        <text x={place.x} y={place.y + (isBack ? belowLine : aboveLine)}>
          {shown.label}
        </text>
      )}
    </g>
  );
}

/** About as many letters as fit; longer text is clipped by its box. */
const titleLength = 25;
const detailLength = 32;

function NodeBox({
  place,
  node,
  isCurrent,
  onReach,
}: {
  readonly place: PlacedNode;
  readonly node: ShownNode | undefined;
  readonly isCurrent: boolean;
  readonly onReach: () => void;
}) {
  if (node === undefined) return null;
  const { nodeWidth: width, nodeHeight: height } = sizes;
  return (
    <Link
      to={node.to}
      className={`graph-node graph-node-${node.look}`}
      data-node={node.id}
      tabIndex={isCurrent ? 0 : -1}
      aria-current={node.look === 'focus' ? 'true' : undefined}
      onFocus={onReach}
    >
      {/* Its name, and the tip that shows what was shortened. */}
      <title>{node.spoken}</title>
      <g transform={`translate(${place.x} ${place.y})`} clipPath="url(#graph-box)">
        <rect x="1" y="1" width={width - 2} height={height - 2} rx="6" />
        {node.icon !== undefined && (
          <path
            className="graph-icon"
            d={iconPath(node.icon)}
            transform={`translate(${width - 26} 8)`}
          />
        )}
        <text className="graph-node-title" x="11" y="19">
          {shorten(node.title, titleLength)}
        </text>
        <text className="graph-node-detail" x="11" y="35">
          {shorten(node.detail, detailLength)}
        </text>
      </g>
    </Link>
  );
}

function keyOf({ from, to }: GraphEdge): string {
  return JSON.stringify([from, to]);
}

/** Keeps the end of a name, which says more than its middle. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor(length / 3);
  return `${text.slice(0, length - tail - 1)}…${text.slice(-tail)}`;
}

/** Horizontal at both ends, so that it is clear where a line comes from. */
function curveThrough(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${point.x} ${point.y}`;
      const half = (point.x - before.x) / 2;
      return `C${before.x + half} ${before.y} ${point.x - half} ${point.y} ${point.x} ${point.y}`;
    })
    .join('');
}

/** Two teams may use each other's data; the shift keeps their lines apart. */
function shifted(points: readonly Point[]): readonly Point[] {
  return points.map(({ x, y }) => ({ x, y: y + backShift }));
}

/**
 * The position of labels on the last segment: near its end, where lines from one box have diverged.
 */
const labelAt = 0.6;

function labelPlace(points: readonly Point[]): Point | null {
  const from = points.at(-2);
  const to = points.at(-1);
  if (from === undefined || to === undefined) return null;
  const t = labelAt;
  return {
    x: from.x + (to.x - from.x) * (1.5 * t * (1 - t) + t ** 3),
    y: from.y + (to.y - from.y) * (3 * t ** 2 - 2 * t ** 3),
  };
}

/** The largest size at which the whole graph fits; full size if none does. */
function useFitting(frame: React.RefObject<HTMLElement | null>, width: number): number {
  const largest = zooms.length - 1;
  const [fitting, setFitting] = useState(largest);
  useLayoutEffect(() => {
    const room = frame.current?.clientWidth ?? 0;
    const found = zooms.findLastIndex((scale, index) => index >= leastFit && width * scale <= room);
    setFitting(found === -1 ? largest : found);
  }, [frame, width, largest]);
  return fitting;
}

/** Scrolls once, and again for another graph, so that its main box is in the middle. */
function useScrollTo(
  frame: React.RefObject<HTMLElement | null>,
  layout: Layout,
  id: string,
  scale: number,
): void {
  useEffect(() => {
    const place = layout.nodes.find((node) => node.id === id);
    const box = frame.current;
    if (place === undefined || box === null) return;
    box.scrollTo({
      left: (place.x + sizes.nodeWidth / 2 + margin) * scale - box.clientWidth / 2,
      top: (place.y + sizes.nodeHeight / 2 + margin) * scale - box.clientHeight / 2,
    });
  }, [frame, layout, id, scale]);
}
