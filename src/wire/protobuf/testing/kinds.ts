import type { Dialect } from "../../../meta/dialect.ts";
import type { Value, ValueObject } from "../../../value/value.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { scale } from "../../../kinds/autoscaling/v1/scale.ts";
import { builtInDefinitions } from "../../../kinds/index.ts";
import { contextOf } from "../../../schema/testing/kind.ts";
import { DecodeReport, type Walker, compileWalker } from "../../../schema/walker.ts";
import { DELETE_OPTIONS, type ProtobufKind, STATUS, hasProtobuf, partialObjectMetadata } from "../index.ts";

/** A kind with its walker. */
export interface TestKind {
  readonly name: string;
  readonly kind: ProtobufKind;
  readonly walker: Walker;
}

/** Every kind of a dialect that has a protobuf form. */
export function protobufKinds(dialect: Dialect): readonly TestKind[] {
  const kinds: readonly ProtobufKind[] = [
    ...builtInDefinitions(contextOf(dialect)).filter(hasProtobuf),
    scale,
    DELETE_OPTIONS,
    STATUS,
    partialObjectMetadata("v1"),
  ];
  return kinds.map((kind) => ({
    name: `${kind.kind.toLowerCase()}.${kind.version}${kind.group && `.${kind.group.split(".")[0]}`}`,
    kind,
    walker: compileWalker(kind.schema, { dialect }),
  }));
}

/** The wire form of a valid value of its kind; throws for everything that the walker reports. */
export function wireForm({ walker }: TestKind, value: Value): ApiObject & ValueObject {
  const report = new DecodeReport();
  const { apiVersion, kind, ...rest } = value as ValueObject;
  const object = walker.decode(rest, report) as ApiObject & ValueObject;
  if (report.mismatches.length > 0 || report.unknown.length > 0) {
    throw new Error(JSON.stringify([report.mismatches, report.unknown, apiVersion, kind]));
  }
  return object;
}
