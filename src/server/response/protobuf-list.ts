/**
 * Lists as protobuf. The length of all items precedes the first one, so a list is processed twice: for the lengths of its items, and to
 * write them. The length of an item never changes, so it is computed once.
 *
 * @module
 */
import { parseExactText } from "../../value/exact-text.ts";
import {
  type ListHead,
  type ProtobufKind,
  encodeItem,
  encodeListHead,
  partialObjectMetadata,
} from "../../wire/protobuf/index.ts";
import type { Entry, ListPart } from "../../registry/index.ts";
import type { Format } from "./negotiate.ts";
import type { ListForm } from "./list-form.ts";
import type { Loop } from "../../util/loop.ts";

/** The lengths of entries as items of a kind. */
const lengths = new WeakMap<ProtobufKind, WeakMap<Entry, number>>();

/**
 * The form of a list.
 *
 * @param itemOf an item as JSON, in the shape of the response
 */
export async function protobufForm(
  loop: Loop,
  head: ListHead,
  list: ListPart,
  itemOf: (entry: Entry) => Uint8Array,
  format: Format,
): Promise<ListForm> {
  const kind = format.shape === "" ? format.kind! : partialObjectMetadata(format.version);
  const item = (bytes: Uint8Array): Uint8Array => encodeItem(parseExactText(decoder.decode(bytes)) as object, kind);
  let known = lengths.get(kind);
  if (!known) lengths.set(kind, (known = new WeakMap()));
  let length = 0;
  const turn = loop.slice();
  for (let part: ListPart | undefined = list; part; part = await part.next?.()) {
    for (const entry of part.entries) {
      let own = known.get(entry);
      if (own === undefined) {
        known.set(entry, (own = item(itemOf(entry)).length));
        const pause = turn.pause();
        if (pause) await pause;
      }
      length += own;
    }
    await turn.pause();
  }
  return { head: encodeListHead(head, length), item, separator: NOTHING, tail: () => NOTHING };
}

const NOTHING = new Uint8Array(0);
const decoder = new TextDecoder();
