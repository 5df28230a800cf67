/** Hooks for the events of the browser. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const hear = (): void => {
      setHolds(list.matches);
    };
    list.addEventListener("change", hear);
    hear();
    return () => {
      list.removeEventListener("change", hear);
    };
  }, [query]);
  return holds;
}

/** The part of a scrolled element that is on the screen, in pixels. */
export interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** Follows the scroll position and size of an element, once per frame. */
export function useViewport(element: { readonly current: HTMLElement | null }): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ top: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const { scrollTop, clientHeight } = current;
      setViewport((before) =>
        before.top === scrollTop && before.height === clientHeight
          ? before
          : { top: scrollTop, height: clientHeight },
      );
    };
    const later = (): void => {
      frame ||= requestAnimationFrame(measure);
    };
    const sizes = new ResizeObserver(later);
    sizes.observe(current);
    current.addEventListener("scroll", later, { passive: true });
    measure();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      current.removeEventListener("scroll", later);
    };
  }, [element]);
  return viewport;
}
