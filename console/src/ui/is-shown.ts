import { useEffect, useRef } from "preact/hooks";

/** Whether the component is still shown, for what is awaited: the user may look at something else by then. */
export function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return isShown;
}
