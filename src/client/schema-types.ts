/**
 * Derives the type of objects from their schema.
 *
 * Schemas are those of CustomResourceDefinitions (OpenAPI v3), `as const`. Fields are optional unless they are required
 * or have a default; `enum`, `nullable` and `x-kubernetes-int-or-string` are supported.
 */

/** A schema; TypeScript cannot describe it more closely. */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of the values of a schema; `unknown` where it has no type. */
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
