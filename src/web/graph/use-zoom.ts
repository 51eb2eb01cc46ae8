// The size of a picture in a frame that scrolls: it fits at first, keeps its middle when zoomed, and
// is moved by dragging.

import { type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

const zooms = [0.25, 0.4, 0.55, 0.75, 1, 1.5] as const;
/** Smaller text is not readable, so what does not fit at this size scrolls. */
const leastFit = { window: 0.5, telephone: 0.85 } as const;
const telephoneWidth = 480;

interface Zoom {
  readonly scale: number;
  /** Whether the frame was measured. */
  readonly isFitted: boolean;
  /** Undefined at the smallest or largest size. */
  readonly out: (() => void) | undefined;
  readonly in: (() => void) | undefined;
  readonly fit: () => void;
}

export function useZoom(frame: RefObject<HTMLElement | null>, width: number, height: number): Zoom {
  const [chosen, setChosen] = useState<number | null>(null);
  const fitting = useFitting(frame, width, height);
  const scale = chosen ?? fitting ?? 1;
  const middle = useRef<{ readonly x: number; readonly y: number } | null>(null);
  useLayoutEffect(() => {
    const box = frame.current;
    const at = middle.current;
    middle.current = null;
    if (box === null || at === null) return;
    box.scrollTo({
      left: at.x * scale - box.clientWidth / 2,
      top: at.y * scale - box.clientHeight / 2,
    });
  }, [frame, scale]);
  const choose = (next: number | null) => {
    const box = frame.current;
    if (box !== null) {
      middle.current = {
        x: (box.scrollLeft + box.clientWidth / 2) / scale,
        y: (box.scrollTop + box.clientHeight / 2) / scale,
      };
    }
    setChosen(next);
  };
  const smaller = zooms.findLast((one) => one < scale);
  const larger = zooms.find((one) => one > scale);
  return {
    scale,
    isFitted: fitting !== null,
    out: smaller === undefined ? undefined : () => choose(smaller),
    in: larger === undefined ? undefined : () => choose(larger),
    fit: () => choose(null),
  };
}

/** The largest size at which the whole picture fits, within the limits of what is readable; null at first. */
function useFitting(
  frame: RefObject<HTMLElement | null>,
  width: number,
  height: number,
): number | null {
  const [fitting, setFitting] = useState<number | null>(null);
  useLayoutEffect(() => {
    const fit = () => {
      const box = frame.current;
      if (box === null) return;
      const most = Number.parseFloat(getComputedStyle(box).maxHeight);
      const scale = Math.min(1, box.clientWidth / width, most / height);
      const least = box.clientWidth < telephoneWidth ? leastFit.telephone : leastFit.window;
      setFitting(Math.max(least, scale));
    };
    fit();
    window.addEventListener('resize', fit);
    return () => window.removeEventListener('resize', fit);
  }, [frame, width, height]);
  return fitting;
}

/** Handlers that move the picture while the mouse is down beside a box. */
export function useMoving(frame: RefObject<HTMLElement | null>) {
  const last = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const stop = () => {
    last.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const isBox = event.target instanceof Element && event.target.closest('a') !== null;
      if (isBox || event.button !== 0 || event.pointerType !== 'mouse') return;
      event.currentTarget.setPointerCapture(event.pointerId);
      last.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (last.current === null) return;
      frame.current?.scrollBy({
        left: last.current.x - event.clientX,
        top: last.current.y - event.clientY,
        behavior: 'instant',
      });
      last.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: stop,
    onPointerCancel: stop,
  };
}
