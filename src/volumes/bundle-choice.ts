/** Which ClusterTrustBundles a source of a projected volume selects (PROJ-12..14). */
import type { ClusterTrustBundle } from "../client/kinds/index.ts";
import type { ProjectedSource } from "./contract.ts";

type Wish = NonNullable<ProjectedSource["clusterTrustBundle"]>;
type Selector = NonNullable<Wish["labelSelector"]>;
type Labels = Readonly<Record<string, string>>;

/** Returns the selected bundles: the named one, or those of a signer that the selector matches. */
export function chosenBundles(bundles: Iterable<ClusterTrustBundle>, wish: Wish): ClusterTrustBundle[] {
  const { name, signerName, labelSelector: selector } = wish;
  return [...bundles].filter(({ metadata, spec }) => {
    if (name !== undefined) return metadata.name === name;
    // A missing selector matches none, an empty one all.
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
