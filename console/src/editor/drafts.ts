/**
 * Edits that are not saved. They stay in the memory of the page while the user looks at something else, and nowhere else: they may
 * contain secrets.
 *
 * @module
 */
import { type ReadonlySignal, computed, signal } from "@preact/signals";
import type { BlameReport } from "../../../src/meta/ownership-reports.ts";
import type { Kind } from "../api/discovery.ts";
import type { Method } from "./write.ts";

/** The object that is edited, as it was read. */
export interface EditBase {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly report: BlameReport;
  /** Whether the status is a subresource, which an edit of the object does not write. */
  readonly hideStatus: boolean;
}

/** An edit: its text, and how it is written. */
export interface Draft {
  /** What is edited, for messages: `ConfigMap web`, `new objects`. */
  readonly title: string;
  readonly text: string;
  /** The text without any edit. */
  readonly initial: string;
  /** Absent for new objects. */
  readonly base?: EditBase;
  readonly method: Method;
  readonly manager: string;
}

/** The most bytes of all drafts together. */
export const MAX_DRAFT_BYTES = 32 * 2 ** 20;
/** What a reported field takes beside its texts. */
const LEAF_BYTES = 200;

/** About how many bytes of memory a draft takes. */
export function bytesOfDraft({ text, initial, base }: Draft): number {
  let bytes = 2 * (text.length + initial.length);
  if (base && base.text !== initial) bytes += 2 * base.text.length;
  for (const { pointer, field, value } of base?.report.leaves ?? [])
    bytes += LEAF_BYTES + 2 * (pointer.length + field.length + (typeof value === "string" ? value.length : 0));
  return bytes;
}

/** Drafts by keys of their users; the oldest ones are dropped where they have too many bytes. */
export class Drafts {
  readonly #maxBytes: number;
  readonly #onDropped: (draft: Draft) => void;
  /** The oldest one first. */
  readonly #kept = signal<ReadonlyMap<string, { readonly draft: Draft; readonly bytes: number }>>(new Map());
  readonly #open = signal(0);
  /** Whether there is an edit that is not saved: one that is kept, or one in an open editor. */
  readonly unsaved: ReadonlySignal<boolean> = computed(() => this.#open.value > 0 || this.#kept.value.size > 0);

  /** `onDropped` is called with a draft that is lost because of the bound. */
  constructor(maxBytes: number, onDropped: (draft: Draft) => void) {
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  /** The draft of a key; a signal or component that reads it sees its changes. */
  get(key: string): Draft | undefined {
    return this.#kept.value.get(key)?.draft;
  }

  /** Keeps a draft, in place of the one that the key had. */
  put(key: string, draft: Draft): void {
    const kept = new Map(this.#kept.peek());
    kept.delete(key);
    kept.set(key, { draft, bytes: bytesOfDraft(draft) });
    let sum = 0;
    for (const { bytes } of kept.values()) sum += bytes;
    const dropped: Draft[] = [];
    for (const [old, { draft: lost, bytes }] of kept) {
      if (sum <= this.#maxBytes) break;
      kept.delete(old);
      sum -= bytes;
      dropped.push(lost);
    }
    this.#kept.value = kept;
    for (const lost of dropped) this.#onDropped(lost);
  }

  /** Drops the draft of a key: it was saved or discarded. */
  drop(key: string): void {
    if (!this.#kept.peek().has(key)) return;
    const kept = new Map(this.#kept.peek());
    kept.delete(key);
    this.#kept.value = kept;
  }

  /** Drops all drafts: they are of another user. */
  clear(): void {
    this.#kept.value = new Map();
  }

  /** Counts an open editor whose text is not saved, until the returned function is called. */
  opened(): () => void {
    this.#open.value++;
    return () => {
      this.#open.value--;
    };
  }
}
