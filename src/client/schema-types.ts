/**
 * From a schema to the type of the objects that fit it.
 *
 * Schemas are those of custom resource definitions (OpenAPI v3), written `as const`. Members that are required or have a
 * default are there, the rest is optional; `enum`, `nullable` and `x-kubernetes-int-or-string` count.
 *
 * @module
 */

/** A schema as data; more of it is read than TypeScript can say here. */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of the values that a schema allows; `unknown` where it says nothing. */
export type FromSchema<S> = S extends { readonly nullable: true } ? Plain<S> | null : Plain<S>;

type Plain<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly "x-kubernetes-int-or-string": true }
    ? number | string
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer I }
            ? readonly FromSchema<I>[]
            : S extends { readonly properties: infer P }
              ? Members<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
              : S extends { readonly additionalProperties: infer A }
                ? { readonly [member: string]: FromSchema<A> }
                : unknown;

/** Whether a member is always there. */
type IsThere<Member, S, Required> = Member extends Required
  ? true
  : S extends { readonly default: unknown }
    ? true
    : false;

type Members<P, R> = {
  readonly [M in keyof P as IsThere<M, P[M], R> extends true ? M : never]: FromSchema<P[M]>;
} & {
  readonly [M in keyof P as IsThere<M, P[M], R> extends true ? never : M]?: FromSchema<P[M]>;
};
