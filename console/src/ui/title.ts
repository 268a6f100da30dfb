import { useEffect } from "preact/hooks";
import { visible } from "./visible.ts";

/** Puts a title before the name of the program in the title of the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Keelson" : `${visible(title)} · Keelson`;
  }, [title]);
}
