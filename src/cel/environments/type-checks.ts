/**
 * Checks expressions of policies against the types of the objects that they are about.
 *
 * When a policy runs, its objects have the type dyn, and a missing member is found only then. Here they have the types of their
 * schemas, so that the author of a policy gets the error earlier. An expression is checked in one step of the event loop, so a
 * very long one is not.
 *
 * @module
 */
import { check } from "../check.ts";
import type { Environment } from "../environment.ts";
import { issuesText } from "../issues.ts";
import { allFunctions } from "../library/index.ts";
import { parse } from "../parser.ts";
import { type Schema, declare } from "../schema/declaration.ts";
import { DYN, type Type, opaque, structOf } from "../types.ts";
import { NAMESPACE, REQUEST, storedType } from "./admission.ts";

/** The schemas of an object and of the params of a policy. */
export interface CheckedSchemas {
  readonly object: Schema;
  /** Undefined where the policy has no params, or their kind is not known: then there is no variable `params`. */
  readonly params?: Schema | undefined;
}

/** The longest expression that is checked. */
const MAX_LENGTH = 20_000;

/** See the head of this file. */
export class TypeChecks {
  readonly #env: Environment;
  readonly #fields = new Map<string, Type>();

  constructor({ object, params }: CheckedSchemas) {
    const type = declare(object, false, "object")?.type ?? DYN;
    const all: [string, Type][] = [
      ["object", type],
      ["oldObject", type],
      ["namespaceObject", NAMESPACE],
      ["request", REQUEST],
      ["variables", structOf("kubernetes.variables", this.#fields)],
      ["authorizer", opaque("kubernetes.authorization.Authorizer")],
      ["authorizer.requestResource", opaque("kubernetes.authorization.ResourceCheck")],
    ];
    if (params) all.push(["params", declare(params, false, "params")?.type ?? DYN]);
    this.#env = { functions: allFunctions(), variables: new Map(all) };
  }

  /** Declares `variables.name` for the expressions that are checked after it; one that does not fit has the type dyn. */
  store(name: string, source: string): void {
    const { type } = this.#check(source);
    this.#fields.set(name, type ? storedType(type) : DYN);
  }

  /** The error of an expression; undefined where its types are correct. */
  check(source: string): string | undefined {
    return this.#check(source).issues;
  }

  #check(source: string): { readonly type?: Type; readonly issues?: string } {
    if (source.length > MAX_LENGTH) return {};
    const parsed = parse(source);
    if (parsed.issues) return { issues: issuesText(source, parsed.issues) };
    const result = check(parsed.expr, this.#env);
    return result.issues ? { issues: issuesText(source, result.issues) } : { type: result.checked.type };
  }
}
