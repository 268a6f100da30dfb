package main

import (
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/ptr"
)

// gadget is the kind that customResources defines, older and newer are its versions.
var (
	gadget = schema.GroupKind{Group: "go.example.com", Kind: "Gadget"}
	older  = schema.GroupVersionResource{Group: gadget.Group, Version: "v1beta1", Resource: "gadgets"}
	newer  = schema.GroupVersionResource{Group: gadget.Group, Version: "v1", Resource: "gadgets"}
)

// customResources defines a kind, uses it without types, and takes it away again.
func customResources(s *session) {
	cached := memory.NewMemCacheClient(s.clients.Discovery())
	client := dynamic.NewForConfigOrDie(s.config)
	g := &gadgets{
		session: s,
		extend:  clientset.NewForConfigOrDie(s.config),
		cached:  cached,
		mapper:  restmapper.NewDeferredDiscoveryRESTMapper(cached),
		client:  client,
		newer:   client.Resource(newer).Namespace(s.namespace),
		older:   client.Resource(older).Namespace(s.namespace),
	}
	s.check("a definition is made, with the typed client, in protobuf", g.defined)
	s.check("the typed client reads, watches, updates, patches and deletes definitions", g.usedTyped)
	s.check("the kind is found after an invalidation", g.found)
	s.check("create, get, update, patch, delete", g.changed)
	s.check("apply, by several appliers of one list", g.applied)
	s.check("pages, one after the other", g.paged)
	s.check("a table has the columns of the definition", g.tabled)
	s.check("what a rule refuses tells its cause", g.refusedByRules)
	s.check("status and spec are written apart", g.reported)
	s.check("the scale client", g.scaled)
	s.check("a watch", g.watched)
	s.check("an object is read, listed and watched in the other version", g.convertedOnReads)
	s.check("the storage version moves, and old objects are there", g.stored)
	s.check("what an object owns goes with it, and objects with their namespace", g.owned)
	s.check("metadata alone", g.ofMetadata)
	s.check("informers without types, and of metadata alone", g.informed)
	s.check("informers outlive the definition, whose objects go with it", g.outlived)
}

// gadgets is what the checks of custom resources share.
type gadgets struct {
	*session
	extend       clientset.Interface
	cached       discovery.CachedDiscoveryInterface
	mapper       *restmapper.DeferredDiscoveryRESTMapper
	client       dynamic.Interface
	newer, older dynamic.ResourceInterface
}

const definitionName = "gadgets.go.example.com"

func (g *gadgets) defined(ctx context.Context) {
	_, err := g.mapper.RESTMapping(gadget)
	refused("a kind that is not defined", err, meta.IsNoMatchError)
	g.define(ctx)
	got := value(g.extend.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, definitionName, metav1.GetOptions{}))
	same("the accepted singular", got.Status.AcceptedNames.Singular, "gadget")
	same("the accepted kind of lists", got.Status.AcceptedNames.ListKind, "GadgetList")
	same("the stored version", got.Status.StoredVersions[0], older.Version)
	_, err = g.extend.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, gadgetDefinition(), metav1.CreateOptions{})
	refused("the second of a name", err, errors.IsAlreadyExists)
}

// usedTyped uses the typed client with its own preference, which is protobuf.
func (g *gadgets) usedTyped(ctx context.Context) {
	factory := externalversions.NewSharedInformerFactory(g.extend, 0)
	lister := factory.Apiextensions().V1().CustomResourceDefinitions().Lister()
	client := g.extend.ApiextensionsV1().CustomResourceDefinitions()
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		holds(kind.String()+" to be in sync", synced)
	}
	holds("it to be established", isEstablished(value(lister.Get(definitionName))))
	made := value(client.Get(ctx, definitionName, metav1.GetOptions{}))
	same("the versions", len(made.Spec.Versions), 2)
	schema := made.Spec.Versions[0].Schema.OpenAPIV3Schema
	same("the schema", schema.Type, "object")
	made.Labels = map[string]string{"b": "yes"}
	updated := value(client.Update(ctx, made, metav1.UpdateOptions{}))
	same("the label", updated.Labels["b"], "yes")
	same("the generation of a definition that says what it said", updated.Generation, made.Generation)
	holds("the schema to be as it was", equality.Semantic.DeepEqual(updated.Spec.Versions[0].Schema.OpenAPIV3Schema, schema))
	value(client.Patch(ctx, definitionName, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"yes"}}}`), metav1.PatchOptions{}))
	eventually(ctx, "the label is in the copy", func() bool { return value(lister.Get(definitionName)).Labels["a"] == "yes" })
	must(client.Delete(ctx, definitionName, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
}

// define makes the definition, and waits until its objects are served.
func (g *gadgets) define(ctx context.Context) {
	client := g.extend.ApiextensionsV1()
	made := value(client.CustomResourceDefinitions().Create(ctx, gadgetDefinition(), metav1.CreateOptions{}))
	same("the generation", made.Generation, int64(1))
	one := cache.NewListWatchFromClient(client.RESTClient(), "customresourcedefinitions", metav1.NamespaceAll,
		fields.OneTermEqualSelector("metadata.name", definitionName))
	value(watchtools.UntilWithSync(ctx, one, &apiextensionsv1.CustomResourceDefinition{}, nil, func(event watch.Event) (bool, error) {
		return isEstablished(event.Object.(*apiextensionsv1.CustomResourceDefinition)), nil
	}))
	eventually(ctx, "its objects are served", func() bool {
		_, err := g.newer.List(ctx, metav1.ListOptions{})
		return err == nil
	})
}

func isEstablished(definition *apiextensionsv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(definition.Status.Conditions, func(condition apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
	})
}

func (g *gadgets) found(context.Context) {
	g.mapper.Reset()
	found := value(g.mapper.RESTMapping(gadget))
	holds("the cache to be fresh", g.cached.Fresh())
	same("the resource, in the preferred version", found.Resource, newer)
	same("its scope", found.Scope.Name(), meta.RESTScopeNameNamespace)
	same("the resource in the other version", value(g.mapper.RESTMapping(gadget, older.Version)).Resource, older)
	same("the singular", value(g.mapper.ResourceSingularizer("gadgets")), "gadget")
	short := restmapper.NewShortcutExpander(g.mapper, g.cached, nil)
	same("the short name", value(short.KindFor(schema.GroupVersionResource{Resource: "gd"})).Kind, "Gadget")
	expanded, is := restmapper.NewDiscoveryCategoryExpander(g.cached).Expand("tools")
	holds("the category", is && slices.Contains(expanded, newer.GroupResource()))
	legacy := discovery.NewDiscoveryClientForConfigOrDie(g.config)
	legacy.UseLegacyDiscovery = true
	same("what aggregated discovery tells", described(value2(g.clients.Discovery().ServerGroupsAndResources())),
		described(value2(legacy.ServerGroupsAndResources())))
}

// gadgetDefinition defines a kind with two versions, of which the older one is stored.
func gadgetDefinition() *apiextensionsv1.CustomResourceDefinition {
	beta := gadgetVersion(older.Version, map[string]apiextensionsv1.JSONSchemaProps{})
	beta.Storage = true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: definitionName},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: gadget.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "gadgets", Kind: gadget.Kind, ShortNames: []string{"gd"}, Categories: []string{"tools"},
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				beta,
				gadgetVersion(newer.Version, map[string]apiextensionsv1.JSONSchemaProps{
					"colour": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"grey"`)}},
				}),
			},
		},
	}
}

// gadgetVersion is a version that is served; further members of spec are its own.
func gadgetVersion(name string, own map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.CustomResourceDefinitionVersion {
	own["size"] = apiextensionsv1.JSONSchemaProps{Type: "integer", Minimum: ptr.To[float64](0), Default: &apiextensionsv1.JSON{Raw: []byte("1")}}
	own["most"] = apiextensionsv1.JSONSchemaProps{Type: "integer"}
	own["maker"] = apiextensionsv1.JSONSchemaProps{Type: "string", XValidations: apiextensionsv1.ValidationRules{
		{Rule: "self == oldSelf", Message: "the maker stays"},
	}}
	own["parts"] = apiextensionsv1.JSONSchemaProps{
		Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"name"},
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Required: []string{"name"},
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"name":  {Type: "string"},
				"count": {Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("1")}},
			},
		}},
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{
		Name:   name,
		Served: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"spec": {Type: "object", Properties: own, XValidations: apiextensionsv1.ValidationRules{{
					Rule:              "!has(self.most) || self.size <= self.most",
					MessageExpression: "'size may be %d at most'.format([self.most])",
					FieldPath:         ".size",
					Reason:            ptr.To(apiextensionsv1.FieldValueForbidden),
				}}},
				"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"size": {Type: "integer"}, "selector": {Type: "string"},
				}},
			},
		}},
		Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
			Scale: &apiextensionsv1.CustomResourceSubresourceScale{
				SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.size", LabelSelectorPath: ptr.To(".status.selector"),
			},
		},
		AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{
			{Name: "Size", Type: "integer", JSONPath: ".spec.size"},
			{Name: "Maker", Type: "string", JSONPath: ".spec.maker"},
		},
	}
}
