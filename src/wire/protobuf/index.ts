/**
 * Objects as protobuf, for typed clients that send nothing else: reading request bodies, and writing
 * answers for clients that take no JSON.
 *
 * The structure of a message is that of the kind's schema; only the numbers of its fields are written down, see
 * `numbers/`. Kinds without numbers have no protobuf form.
 *
 * @module
 */
export {
  type ListHead,
  PROTOBUF,
  decodeProtobuf,
  encodeAnswer,
  encodeEvent,
  encodeItem,
  encodeListHead,
} from "./envelope.ts";
export { type ProtobufKind, DELETE_OPTIONS, STATUS, hasProtobuf, partialObjectMetadata } from "./kinds.ts";
export { ProtobufError } from "../encoding/protobuf-error.ts";
