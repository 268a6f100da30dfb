/**
 * The drafts of the page.
 *
 * @module
 */
import { effect, untracked } from "@preact/signals";
import { sessionInfo } from "../api/session.ts";
import { toast } from "../ui/toast.tsx";
import { Drafts, MAX_DRAFT_BYTES } from "./drafts.ts";

/** The edits that are not saved. While there are some, the browser asks before the page is left. */
export const drafts: Drafts = draftsOfPage();

function draftsOfPage(): Drafts {
  const kept = new Drafts(MAX_DRAFT_BYTES, ({ title }) =>
    toast(
      `The edit of ${title} is lost: edits that are not saved have more than ${MAX_DRAFT_BYTES / 2 ** 20} MiB.`,
      "bad",
    ),
  );
  effect(() => {
    if (!kept.unsaved.value) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  });
  let user: string | undefined;
  effect(() => {
    const next = sessionInfo.value?.user;
    if (next === undefined) return;
    if (user !== undefined && user !== next) untracked(() => kept.clear());
    user = next;
  });
  return kept;
}
