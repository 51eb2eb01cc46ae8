// Draws the parts of a graph: boxes, lines and arrow heads.

import { type IconName, iconPath } from '../parts/icon.tsx';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import type {
  GraphEdge,
  GraphNode,
  LayoutSizes,
  PlacedEdge,
  PlacedNode,
  Point,
} from './layered-layout.ts';

export interface ShownNode extends GraphNode {
  readonly to: string;
  readonly title: string;
  readonly detail: string;
  /** The full content of the box, for screen readers. */
  readonly spoken: string;
  readonly look: 'plain' | 'focus' | 'pending';
  readonly icon?: IconName;
  /** The link that also shows the direct neighbours of this box in the graph. */
  readonly expandTo?: string;
}

export interface ShownEdge extends GraphEdge {
  readonly look: 'plain' | 'pending';
  readonly label?: string;
}

/** A return line runs this far below the line in the other direction. */
const backShift = 9;
/** The position of labels, so that those of two lines between the same boxes do not overlap. */
const aboveLine = -6;
const belowLine = 15;

/** The arrow heads of lines, and the outline that clips the text of boxes. */
export function Arrows({ sizes }: { readonly sizes: LayoutSizes }) {
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

export function EdgeLine({
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

/** A box of this height has a second line. */
const twoLines = 40;
/** About as many letters as fit into a box of this width; longer text is clipped by its box. */
const usualWidth = 200;
const titleLength = 25;
const detailLength = 32;

export function NodeBox({
  place,
  node,
  sizes,
  isCurrent,
  onReach,
}: {
  readonly place: PlacedNode;
  readonly sizes: LayoutSizes;
  readonly node: ShownNode | undefined;
  readonly isCurrent: boolean;
  readonly onReach: () => void;
}) {
  if (node === undefined) return null;
  const { nodeWidth: width, nodeHeight: height } = sizes;
  // Boxes of one line have only a title.
  const isLow = height < twoLines;
  const letters = Math.floor((titleLength * width) / usualWidth);
  const box = (
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
        <text className="graph-node-title" x="11" y={isLow ? height / 2 + 4.5 : 19}>
          {shorten(node.title, letters)}
        </text>
        {!isLow && (
          <text className="graph-node-detail" x="11" y="35">
            {shorten(node.detail, detailLength)}
          </text>
        )}
      </g>
    </Link>
  );
  if (node.expandTo === undefined) return box;
  return (
    <>
      {box}
      <Link
        to={node.expandTo}
        className="graph-expand"
        tabIndex={-1}
        aria-label={words.graph.expand(node.title)}
      >
        <circle cx={place.x + width} cy={place.y + height / 2} r="9" />
        <path d={`M${place.x + width - 4} ${place.y + height / 2}h8m-4-4v8`} />
      </Link>
    </>
  );
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
