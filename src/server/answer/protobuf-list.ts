/**
 * Lists as protobuf: the length of all items stands in front of the first one, so a list is in memory as a whole before
 * any of it leaves. Other requests get their turns in between.
 *
 * @module
 */
import { parseExactText } from "../../value/exact-text.ts";
import { type ListHead, encodeItem, encodeListHead, partialObjectMetadata } from "../../wire/protobuf/index.ts";
import type { Entry } from "../../registry/index.ts";
import type { Format } from "./negotiate.ts";
import { TurnLimit } from "../../util/turn-limit.ts";
import type { StreamWriter } from "./stream-writer.ts";

/**
 * Writes a list.
 *
 * @param itemOf an item as JSON, in the shape of the answer
 */
export async function writeProtobufList(
  writer: StreamWriter,
  head: ListHead,
  entries: readonly Entry[],
  itemOf: (entry: Entry) => Uint8Array,
  format: Format,
): Promise<void> {
  const kind = format.shape === "" ? format.kind! : partialObjectMetadata(format.version);
  const items: Uint8Array[] = [];
  let length = 0;
  const turn = new TurnLimit();
  for (const entry of entries) {
    const item = encodeItem(parseExactText(decoder.decode(itemOf(entry))) as object, kind);
    items.push(item);
    length += item.length;
    const pause = turn.pause();
    if (pause) await pause;
  }
  writer.add(encodeListHead(head, length));
  for (const item of items) if (writer.add(item) && !(await writer.flush())) return;
  writer.end();
}

const decoder = new TextDecoder();
