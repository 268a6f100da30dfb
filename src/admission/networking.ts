import type { Dialect } from "../meta/dialect.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type AdmissionStep, concerns } from "./contract.ts";
import { defaultClassOf } from "./default-class.ts";

const isIngress = guardOf<ApiObject & { readonly spec?: { ingressClassName?: string } }>("Ingress");

/** Gives a new Ingress without a class, in field or annotation, the newest default class (KIND-Ingress-1). */
export function defaultIngressClass({ labelDomain }: Dialect): AdmissionStep {
  const group = "networking.k8s.io";
  const mark = `ingressclass.${labelDomain}/is-default-class`;
  const chosen = defaultClassOf(`ingressclasses.${group}`, ({ metadata }) => metadata.annotations?.[mark] === "true");
  const ingresses = { group, plural: "ingresses" };
  return {
    name: "DefaultIngressClass",
    resources: [ingresses],
    mutate(request) {
      const { operation, subresource, object } = request;
      if (operation !== "CREATE" || subresource || !concerns(request, ingresses) || !isIngress(object))
        return undefined;
      const { spec } = object;
      const said = object.metadata.annotations?.[`${labelDomain}/ingress.class`];
      if (!spec || spec.ingressClassName !== undefined || said !== undefined) return undefined;
      const set = (name: string | undefined): void => {
        if (name !== undefined) spec.ingressClassName = name;
      };
      const name = chosen(request.lookup);
      return name instanceof Promise ? name.then(set) : set(name);
    },
  };
}
