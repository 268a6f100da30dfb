import type { ApiObject } from "../../schema/definition.ts";
import { Rule, type RuleForm } from "./rule.ts";

/** A role that can be asked; it stands for one state of the object. */
export class CompiledRole {
  /** The rules as they stand in it. */
  readonly forms: readonly RuleForm[];
  #rules: readonly Rule[] | undefined;

  constructor(role: ApiObject) {
    this.forms = (role["rules"] as readonly RuleForm[] | null | undefined) ?? [];
  }

  get rules(): readonly Rule[] {
    return (this.#rules ??= this.forms.map((form) => new Rule(form)));
  }
}
