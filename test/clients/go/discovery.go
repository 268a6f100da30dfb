package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/restmapper"
)

// discovering asks what the server serves.
func discovering(s *session) {
	client := s.clients.Discovery()
	s.check("the version", func(context.Context) {
		got := value(client.ServerVersion())
		holds("a major and a minor number", got.Major == "1" && got.Minor != "")
	})
	s.check("all groups and resources, at once and document by document", func(context.Context) {
		atOnce := value2(client.ServerGroupsAndResources())
		legacy := discovery.NewDiscoveryClientForConfigOrDie(s.config)
		legacy.UseLegacyDiscovery = true
		oneByOne := value2(legacy.ServerGroupsAndResources())
		same("the list", described(atOnce), described(oneByOne))
		preferred := value(client.ServerPreferredNamespacedResources())
		names := []string{}
		for _, list := range preferred {
			for _, one := range list.APIResources {
				names = append(names, one.Name)
			}
		}
		holds("configmaps and leases", slices.Contains(names, "configmaps") && slices.Contains(names, "leases"))
		holds("nothing of the cluster", !slices.Contains(names, "storageclasses"))
	})
	s.check("a RESTMapper knows kinds, resources, short names and scopes", func(context.Context) {
		cache := memory.NewMemCacheClient(client)
		mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cache), cache, nil)
		claim := value(mapper.RESTMapping(schema.GroupKind{Kind: "PersistentVolumeClaim"}, "v1"))
		same("the resource", claim.Resource, corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims"))
		same("its scope", claim.Scope.Name(), meta.RESTScopeNameNamespace)
		class := value(mapper.RESTMapping(schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}))
		same("the version", class.GroupVersionKind, storagev1.SchemeGroupVersion.WithKind("StorageClass"))
		same("its scope", class.Scope.Name(), meta.RESTScopeNameRoot)
		for short, kind := range map[string]string{"pvc": "PersistentVolumeClaim", "sc": "StorageClass", "cm": "ConfigMap", "ns": "Namespace"} {
			same(short, value(mapper.KindFor(schema.GroupVersionResource{Resource: short})).Kind, kind)
		}
		same("the singular of secrets", value(mapper.ResourceSingularizer("secrets")), "secret")
		_, err := mapper.KindFor(schema.GroupVersionResource{Resource: "nonsense"})
		refused("nonsense", err, meta.IsNoMatchError)
	})
	s.check("OpenAPI v2 in protobuf, v3 as documents", func(context.Context) {
		document := value(client.OpenAPISchema())
		same("the version of v2", document.Swagger, "2.0")
		var paths map[string]openapi.GroupVersion = value(client.OpenAPIV3().Paths())
		holds("api/v1", paths["api/v1"] != nil)
		var parsed struct{ OpenAPI string }
		must(json.Unmarshal(value(paths["apis/storage.k8s.io/v1"].Schema(runtime.ContentTypeJSON)), &parsed))
		same("the version of v3", parsed.OpenAPI[:2], "3.")
	})
	s.check("health", func(ctx context.Context) {
		body := value(client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx))
		same("/readyz", string(body), "ok")
	})
}

// value2 is the second of what a call gave.
func value2[A, B any](_ A, got B, err error) B {
	must(err)
	return got
}

// described is everything that lists of resources say, in an order of its own, one line for each. What the library adds
// to one of the two forms is added to both: the group and version of what has none of its own, and the singular of
// subresources.
func described(lists []*metav1.APIResourceList) string {
	lines := []string{}
	for _, list := range lists {
		of := value(schema.ParseGroupVersion(list.GroupVersion))
		for _, one := range list.APIResources {
			if one.Version == "" {
				one.Group, one.Version = of.Group, of.Version
			}
			if strings.Contains(one.Name, "/") {
				one.SingularName = ""
			}
			slices.Sort(one.Verbs)
			one.StorageVersionHash = ""
			lines = append(lines, fmt.Sprintf("%s %+v", list.GroupVersion, one))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
