/**
 * The name and the namespace of an object (DEC-1, DEC-18, DEC-22). The other members of `metadata` that the server owns are in
 * `schema/write/metadata.ts`.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import { badRequest } from "../../meta/status.ts";
import type { Target } from "../contract.ts";
import type { Kind } from "./kind.ts";

/** Name and namespace of a body must be those of the path, where both have one (DEC-18, DEC-22). */
export function placeObject(kind: Pick<Kind, "namespaced">, object: ApiObject, target: Target): void {
  const { metadata } = object;
  if (kind.namespaced) {
    const sent = metadata.namespace;
    if (sent !== undefined && sent !== "" && sent !== target.namespace) {
      throw misplaced("namespace", target.namespace, sent);
    }
    metadata.namespace = target.namespace;
  } else {
    delete metadata.namespace;
  }
  if (target.name === "") return;
  const sent = metadata.name;
  if (sent !== undefined && sent !== "" && sent !== target.name) {
    throw misplaced("name", target.name, sent);
  }
}

/** 400: the name or namespace of an object differs from the path. */
export function misplaced(member: "name" | "namespace", expected: string, sent: string): Error {
  return badRequest(
    member === "name"
      ? `the name of the object (${sent}) does not match the name on the URL (${expected})`
      : `the namespace of the provided object does not match the namespace sent on the request: expected ${expected}, got ${sent}`,
  );
}
