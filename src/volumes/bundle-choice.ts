/**
 * Which ClusterTrustBundles a source of a projected volume chooses (PROJ-12..14).
 *
 * @module
 */
import type { ClusterTrustBundle } from "../client/kinds/index.ts";
import type { ProjectedSource } from "./contract.ts";

type Wish = NonNullable<ProjectedSource["clusterTrustBundle"]>;
type Selector = NonNullable<Wish["labelSelector"]>;
type Labels = Readonly<Record<string, string>>;

/** The bundles of a list that a source chooses: the one of its name, or of its signer those that its selector matches. */
export function chosenBundles(bundles: Iterable<ClusterTrustBundle>, wish: Wish): ClusterTrustBundle[] {
  const { name, signerName, labelSelector: selector } = wish;
  return [...bundles].filter(({ metadata, spec }) => {
    if (name !== undefined) return metadata.name === name;
    // Without a selector nothing is chosen; an empty one chooses all.
    if (selector === undefined || selector === null) return false;
    return spec.signerName === signerName && selects(selector, metadata.labels ?? {});
  });
}

function selects({ matchLabels, matchExpressions }: Selector, labels: Labels): boolean {
  const isEqual = ([key, value]: [string, string]): boolean => Object.hasOwn(labels, key) && labels[key] === value;
  return (
    Object.entries(matchLabels ?? {}).every(isEqual) && (matchExpressions ?? []).every((one) => meets(one, labels))
  );
}

function meets({ key, operator, values }: NonNullable<Selector["matchExpressions"]>[number], labels: Labels): boolean {
  const has = Object.hasOwn(labels, key);
  const isListed = has && (values ?? []).includes(labels[key]!);
  switch (operator) {
    case "In":
      return isListed;
    case "NotIn":
      return !isListed;
    case "Exists":
      return has;
    case "DoesNotExist":
      return !has;
    default:
      throw new Error(`expected the operator In, NotIn, Exists or DoesNotExist, got ${JSON.stringify(operator)}`);
  }
}
