/**
 * Lists in every form, item by item: the texts before, between and after the items, so that a list is never in memory as a whole and its
 * items are not parsed where their bytes can be sent unchanged.
 *
 * @module
 */
import { decodeOwnJson } from "../../value/json.ts";
import { utf8Text } from "../../value/utf8.ts";
import { encodeYaml, yamlLines } from "../../value/yaml-encode.ts";
import { bytesOf } from "./in-form.ts";
import { indentJson, indentPieces } from "./indent-json.ts";
import type { Format } from "./negotiate.ts";

/** How the parts of a list become bytes. */
export interface ListForm {
  readonly head: Uint8Array;
  /** An item, valid until the next one is made; in pieces, some of them empty, where it takes long. The first one has no separator. */
  item(bytes: Uint8Array, first: boolean): Uint8Array | Iterable<Uint8Array>;
  /** What goes between the items, apart from what {@link ListForm.item} adds. */
  readonly separator: Uint8Array;
  tail(empty: boolean): Uint8Array;
}

/**
 * The form of a list.
 *
 * @param header the list without its items, as JSON
 * @param member what the items are called: `items` or `rows`
 */
export function listForm(header: string, member: string, format: Format): ListForm {
  if (format.media === "yaml") return yamlForm(header, member);
  return format.pretty ? prettyForm(header, member) : compactForm(header, member);
}

const COMMA = Buffer.from(",");
const NOTHING = Buffer.alloc(0);
const COMPACT_TAIL = Buffer.from("]}\n");
const PRETTY_TAIL = Buffer.from("\n  ]\n}");
const PRETTY_EMPTY = Buffer.from("]\n}");

const compactForm = (header: string, member: string): ListForm => ({
  head: Buffer.from(`${header.slice(0, -1)},"${member}":[`),
  item: (bytes) => bytes,
  separator: COMMA,
  tail: () => COMPACT_TAIL,
});

function prettyForm(header: string, member: string): ListForm {
  const head = indentJson(Buffer.from(header)).toString();
  return {
    head: Buffer.from(`${head.slice(0, -2)},\n  "${member}": [`),
    *item(bytes) {
      yield LINE;
      yield* indentPieces([utf8Text(bytes)], "    ");
    },
    separator: COMMA,
    tail: (empty) => (empty ? PRETTY_EMPTY : PRETTY_TAIL),
  };
}

const LINE = Buffer.from("\n    ");

function yamlForm(header: string, member: string): ListForm {
  const head = `${encodeYaml(decodeOwnJson(Buffer.from(header)))}${member}:`;
  return {
    head: Buffer.from(head),
    item: yamlItem,
    separator: NOTHING,
    tail: (empty) => Buffer.from(empty ? " []\n" : ""),
  };
}

/** An object as an entry of a block sequence; empty lines stay empty, which is valid in block scalars. */
function* yamlItem(bytes: Uint8Array, first: boolean): Generator<Uint8Array> {
  const value = decodeOwnJson(bytes);
  yield NOTHING;
  const steps = yamlLines(value);
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield NOTHING;
  yield first ? FIRST_DASH : DASH;
  yield* bytesOf(step.value.pieces(2));
}

const DASH = Buffer.from("- ");
const FIRST_DASH = Buffer.from("\n- ");
