import type { ApiObject } from "../../schema/definition.ts";
import { Rule, type RuleForm } from "./rule.ts";

/** A compiled role, as of one resourceVersion of its object. */
export class CompiledRole {
  /** The rules of the object. */
  readonly forms: readonly RuleForm[];
  #rules: readonly Rule[] | undefined;

  constructor(role: ApiObject) {
    this.forms = (role["rules"] as readonly RuleForm[] | null | undefined) ?? [];
  }

  get rules(): readonly Rule[] {
    return (this.#rules ??= this.forms.map((form) => new Rule(form)));
  }
}
