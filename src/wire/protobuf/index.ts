/**
 * Objects as protobuf, for typed clients: decodes request bodies, and encodes responses.
 *
 * The structure of a message follows from the kind's schema; only its field numbers are listed, in `numbers/`. Kinds without numbers
 * have no protobuf form.
 *
 * @module
 */
export {
  type ListHead,
  PROTOBUF,
  decodeProtobuf,
  encodeResponse,
  encodeEvent,
  encodeItem,
  encodeListHead,
} from "./envelope.ts";
export { type ProtobufKind, DELETE_OPTIONS, STATUS, hasProtobuf, partialObjectMetadata } from "./kinds.ts";
export { ProtobufError } from "../encoding/protobuf-error.ts";
