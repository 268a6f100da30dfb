/**
 * The walker of custom objects: what {@link Walker} is for built-in kinds, by a structural schema.
 *
 * Custom objects read back as they were sent: empty members stay, null stays where it means something, integers keep their
 * digits. What a client sees beside that is pruning, defaults (CRD-41, CRD-43) and metadata, which is read as that of any
 * other object. It is compiled once per schema; nothing of it is wrong for an object of the wrong types, which the
 * validator refuses.
 *
 * @module
 */
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type ValueObject, isObject, setMember } from "../../value/value.ts";
import { DecodeReport } from "../decode-report.ts";
import type { ApiObject } from "../definition.ts";
import { type Walker, walkerOf } from "../walker.ts";
import { type FillIn, compileDefaults } from "./defaults.ts";
import { type HeadReaders, type Prune, PruneCompiler, type Visit } from "./prune.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** The walker of a custom kind. */
export interface StructuralWalker extends Walker {
  /**
   * Like `decode`, for an object that an apply made of an intent: null stays also where it means nothing, so that the
   * validator refuses it and a default takes its place, as the real server does.
   */
  decodeApplied(value: unknown, report: DecodeReport): ApiObject;
  /**
   * Brings a stored object into the form of this schema, in place: pruned and with defaults, malformed metadata dropped.
   *
   * @returns whether anything changed
   */
  read(object: ApiObject): boolean;
}

const walkers = new WeakMap<Dialect, WeakMap<StructuralSchema, StructuralWalker>>();

/** The walker of a structural schema; compiled when it is first asked for, and once for all who have the same schema. */
export function structuralWalker(
  schema: StructuralSchema,
  { dialect }: { readonly dialect: Dialect },
): StructuralWalker {
  let known = walkers.get(dialect);
  if (!known) walkers.set(dialect, (known = new WeakMap()));
  let walker = known.get(schema);
  if (!walker) known.set(schema, (walker = compile(schema, dialect)));
  return walker;
}

function compile(schema: StructuralSchema, dialect: Dialect): StructuralWalker {
  const metadata = walkerOf(ObjectMetaSchema, { dialect });
  const head: HeadReaders = { metadata: metadataReader(metadata), name: nameReader };
  const prune = new PruneCompiler(head).compile(schema, undefined, true);
  let fillIn: FillIn | undefined;
  let isCompiled = false;
  const applyDefaults = (object: ApiObject): boolean => {
    if (!isCompiled) fillIn = compileDefaults(schema);
    isCompiled = true;
    return fillIn?.(object) ?? false;
  };
  return {
    decode: (value, report) => decode(value, prune, visitOf(report, false)),
    decodeApplied: (value, report) => decode(value, prune, visitOf(report, true)),
    applyDefaults,
    settle: () => undefined,
    zero: () => ({ metadata: {} }) as ApiObject,
    read(object) {
      const visit: Visit = { report: new DecodeReport(), keepsNulls: false, lenient: true, changed: false };
      prune(object, visit);
      const repaired = repairMetadata(object);
      return applyDefaults(object) || repaired || visit.changed;
    },
  };
}

const visitOf = (report: DecodeReport, keepsNulls: boolean): Visit => ({
  report,
  keepsNulls,
  lenient: false,
  changed: false,
});

/** A custom object says its kind and version itself; no default is taken from the path. */
function decode(value: unknown, prune: Prune, visit: Visit): ApiObject {
  const { report } = visit;
  if (!isObject(value)) return report.mismatch("an object", value) as ApiObject;
  requireText(value, "apiVersion", report);
  requireText(value, "kind", report);
  return prune(value, visit) as ApiObject;
}

function requireText(value: ValueObject, name: string, report: DecodeReport): void {
  if (Object.hasOwn(value, name) && value[name] !== null && value[name] !== "") return;
  report.enter(name);
  report.mismatch("a text that is not empty", value[name] ?? null);
  report.leave();
}

/** apiVersion and kind. */
const nameReader: Prune = (value, { lenient, report }) => {
  if (typeof value === "string") return value;
  return lenient ? undefined : report.mismatch("a string", value);
};

const metadataReader =
  (metadata: Walker): Prune =>
  (value, visit) => {
    if (value === null) return {};
    if (!visit.lenient) return metadata.decode(value, visit.report);
    return isObject(value) ? readableMetadata(value, metadata, visit) : value;
  };

/** Metadata without the members that cannot be read (on reads only). Changes the value. */
function readableMetadata(value: ValueObject, metadata: Walker, visit: Visit): unknown {
  const trial = new DecodeReport();
  metadata.decode(value, trial);
  if (trial.unknown.length > 0) visit.changed = true;
  if (trial.mismatches.length === 0) return value;
  for (const key of Object.keys(value)) {
    const alone: ValueObject = {};
    setMember(alone, key, value[key]);
    const own = new DecodeReport();
    metadata.decode(alone, own);
    if (own.mismatches.length > 0) delete value[key];
  }
  visit.changed = true;
  return value;
}

/** Very old objects may lack what each has today. */
function repairMetadata(object: ApiObject): boolean {
  if (isObject(object.metadata) && object.metadata.generation) return false;
  if (!isObject(object.metadata)) object.metadata = {};
  object.metadata.generation = 1;
  return true;
}
