/**
 * IngressClass: the controller of Ingresses of a class, and its parameters (KIND-IngressClass-1, 2).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, domainPrefixedPath } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateLocalReference } from "../../rules/local-reference.ts";

const Parameters = t.struct("An object with more settings.", {
  apiGroup: t.pointer(t.text("Its API group; the core group when unset.")),
  kind: t.required(t.text("Its kind.")),
  name: t.required(t.text("Its name.")),
  scope: t.nullable(t.text("Cluster or Namespace: where it is.")),
  namespace: t.pointer(t.text("Its namespace, for the scope Namespace.")),
});

const schema = objectSchema("The controller of the Ingresses of a class, and its parameters.", {
  spec: t.always(
    t.struct("Who, and how.", {
      controller: t.optional(t.text("The controller of these Ingresses: a domain and a path.")),
      parameters: t.pointer(Parameters),
    }),
  ),
});

type IngressClass = ObjectOf<typeof schema>;

const MAX_CONTROLLER_LENGTH = 250;
const SCOPES = ["Cluster", "Namespace"];

function validate(object: IngressClass, errors: FieldErrors): void {
  const { controller = "", parameters } = object.spec;
  const field = "spec.controller";
  if (Buffer.byteLength(controller) > MAX_CONTROLLER_LENGTH) errors.tooLong(field, MAX_CONTROLLER_LENGTH);
  const wrong = controller === "" ? undefined : domainPrefixedPath(controller);
  if (controller === "") errors.required(field, "expected a domain and a path");
  if (wrong) errors.invalid(field, controller, wrong);
  if (parameters) validateParameters(parameters, errors);
}

function validateParameters(parameters: NonNullable<IngressClass["spec"]["parameters"]>, errors: FieldErrors): void {
  const field = "spec.parameters";
  validateLocalReference(parameters, field, errors);
  const { scope, namespace } = parameters;
  if (scope == null) return errors.required(`${field}.scope`);
  if (!SCOPES.includes(scope)) return errors.notSupported(`${field}.scope`, scope, SCOPES);
  const inNamespace = scope === "Namespace";
  if (inNamespace && namespace === undefined) errors.required(`${field}.namespace`, "expected one for this scope");
  if (!inNamespace && namespace !== undefined) errors.forbidden(`${field}.namespace`, "expected none for this scope");
  const wrong = inNamespace && namespace !== undefined ? dnsLabel(namespace) : undefined;
  if (wrong) errors.invalid(`${field}.namespace`, namespace, wrong);
}

function parametersText(object: IngressClass): string {
  const { parameters } = object.spec;
  if (!parameters) return "<none>";
  const { kind, apiGroup, name } = parameters;
  return `${apiGroup == null ? kind : `${kind}.${apiGroup}`}/${name}`;
}

/** The definition of IngressClass. */
export const ingressClass = defineResource(schema, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  scope: "Cluster",
  generation: "fromOne",
  defaults(object) {
    const parameters = object.spec?.parameters;
    if (parameters) parameters.scope ??= "Cluster";
  },
  validate,
  validateUpdate(object, old, errors) {
    validate(object, errors);
    const [now, before] = [object.spec.controller, old.spec.controller];
    if (now !== before) errors.invalid("spec.controller", now, "expected no change of who sees to them");
  },
  columns: [
    textColumn("Controller", "The controller of these Ingresses.", (object) => object.spec.controller ?? ""),
    textColumn("Parameters", "The object with more settings.", parametersText),
    ageColumn,
  ],
});
