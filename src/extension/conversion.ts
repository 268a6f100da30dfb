/**
 * Converts custom objects between versions (CRD-20..23): by name alone, or by a webhook of the definition.
 *
 * The webhook gets ConversionReviews of `apiextensions.k8s.io/v1` with several objects. The review is validated here;
 * the registry checks that the objects are the same.
 */
import type { WebhookAddresses } from "../admission/webhooks/address.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { Conversion } from "../kinds/apiextensions/v1/definition.ts";
import type { UncheckedConverter } from "../registry/index.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Random } from "../util/clock.ts";
import { type CurrentSpan, NO_SPAN, type SpanAttributes, inSpan } from "../util/span.ts";
import { exactText } from "../value/exact-text.ts";
import { type Value, isObject } from "../value/value.ts";
import type { CustomResourceDefinition } from "./object.ts";

type ConversionClient = NonNullable<NonNullable<Conversion["webhook"]>["clientConfig"]>;

/** The parts of a webhook converter. */
export interface ConverterParts {
  readonly hooks: Hooks;
  /** Finds webhooks by their URLs and Services. */
  readonly addresses: WebhookAddresses;
  readonly random: Random;
  /** The span of which a conversion is a part; none by default. */
  readonly currentSpan?: CurrentSpan | undefined;
}

/** The timeout of a conversion in ms. */
const CONVERSION_TIMEOUT_MS = 30_000;
/** The maximum JSON size of the objects in one review, unless a single object is larger. */
const MAX_BATCH_BYTES = 2 << 20;

/** Returns the converter of a definition. */
export function converterOf({ metadata, spec }: CustomResourceDefinition, asking: ConverterParts): UncheckedConverter {
  const webhook = spec.conversion?.strategy === "Webhook" ? spec.conversion.webhook : undefined;
  return webhook ? new WebhookConverter(metadata.name ?? "", webhook.clientConfig ?? {}, asking) : BY_NAME;
}

const BY_NAME: UncheckedConverter = { convert: (object, to) => ({ ...object, apiVersion: to }) };

class WebhookConverter implements UncheckedConverter {
  /** The name of the definition. */
  readonly #name: string;
  readonly #config: ConversionClient;
  readonly #asking: ConverterParts;

  constructor(name: string, config: ConversionClient, asking: ConverterParts) {
    this.#name = name;
    this.#config = config;
    this.#asking = asking;
  }

  async convert(object: ApiObject, to: string): Promise<unknown> {
    const [converted] = await this.convertAll([object], to);
    return converted;
  }

  /** Objects in the version already are not sent (CRD-21). */
  async convertAll(objects: readonly ApiObject[], to: string): Promise<readonly unknown[]> {
    const converted: unknown[] = [...objects];
    for (const batch of batches(objects, to)) {
      const results = await this.#ask(batch.texts, to);
      for (const [n, result] of results.entries()) converted[batch.indexes[n] ?? 0] = result;
    }
    return converted;
  }

  async #ask(texts: readonly string[], to: string): Promise<readonly Value[]> {
    const { hooks, addresses, random, currentSpan = NO_SPAN } = this.#asking;
    const uid = random.uuid();
    const review = `{"kind":"ConversionReview","apiVersion":"${REVIEW}","request":{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(to)},"objects":[${texts.join(",")}]}}`;
    const attributes = (): SpanAttributes => ({
      "custom-resource-definition": this.#name,
      "desired-api-version": to,
      "object-count": texts.length,
      UID: uid,
    });
    return inSpan(currentSpan(), "Call conversion webhook", attributes, async (call) => {
      const response = await hooks.call(await addresses.of(this.#config), review, CONVERSION_TIMEOUT_MS);
      call?.event("Request completed");
      return convertedOf(response, uid, texts.length);
    });
  }
}

const REVIEW = "apiextensions.k8s.io/v1";

interface Batch {
  readonly indexes: number[];
  readonly texts: string[];
}

/** The objects of other versions. */
function* batches(objects: readonly ApiObject[], to: string): Iterable<Batch> {
  let batch: Batch = { indexes: [], texts: [] };
  let bytes = 0;
  for (const [index, object] of objects.entries()) {
    if (object.apiVersion === to) continue;
    const text = exactText(object);
    if (batch.texts.length > 0 && bytes + text.length > MAX_BATCH_BYTES) {
      yield batch;
      batch = { indexes: [], texts: [] };
      bytes = 0;
    }
    batch.indexes.push(index);
    batch.texts.push(text);
    bytes += text.length;
  }
  if (batch.texts.length > 0) yield batch;
}

/** Returns the objects of a response. @throws where it belongs to another request, or failed */
function convertedOf(review: Value, uid: string, count: number): readonly Value[] {
  expect(isObject(review), "the response to be a ConversionReview", review);
  const { kind, apiVersion, response } = review;
  expect(kind === "ConversionReview" && apiVersion === REVIEW, `kind ConversionReview of ${REVIEW}`, [
    kind,
    apiVersion,
  ]);
  expect(isObject(response), "the review to have a response", response);
  const { uid: returned, result, convertedObjects } = response;
  expect(returned === uid, `response.uid to be ${uid}`, returned);
  const { status, message } = isObject(result) ? result : {};
  expect(status === "Success", "response.result.status to be Success", message ?? status);
  expect(Array.isArray(convertedObjects), "response.convertedObjects to be a list", convertedObjects);
  expect(convertedObjects.length === count, `${count} converted objects`, convertedObjects.length);
  return convertedObjects;
}

function expect(holds: boolean, what: string, got: unknown): asserts holds {
  if (!holds) throw new Error(`expected ${what}, got ${shown(got)}`);
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);
