package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

func (g *gadgets) ofMetadata(ctx context.Context) {
	client := metadata.NewForConfigOrDie(g.config).Resource(newer).Namespace(g.namespace)
	for _, name := range []string{"one", "two", "three"} {
		value(g.newer.Create(ctx, aGadget("v1", name, map[string]any{}), metav1.CreateOptions{}))
	}
	patched := value(client.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"yes"}}}`), metav1.PatchOptions{}))
	same("the label", patched.Labels["a"], "yes")
	same("the uid", value(client.Get(ctx, "one", metav1.GetOptions{})).UID, patched.UID)
	must(client.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(patched.UID))}))
	same("what is left", len(value(client.List(ctx, metav1.ListOptions{})).Items), 2)
	must(client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	same("what is left", len(value(g.newer.List(ctx, metav1.ListOptions{})).Items), 0)
}

// copied is what two informers have of the gadgets: one of the objects, one of their metadata.
type copied struct {
	objects, metadata cache.GenericNamespaceLister
	seen, seenOfThem  *counts
}

// copies starts both informers, which run until the context ends.
func (g *gadgets) copies(ctx context.Context) *copied {
	objects := dynamicinformer.NewFilteredDynamicSharedInformerFactory(g.client, 0, g.namespace, nil)
	metadatas := metadatainformer.NewFilteredSharedInformerFactory(metadata.NewForConfigOrDie(g.config), 0, g.namespace, nil)
	c := &copied{
		objects:    objects.ForResource(newer).Lister().ByNamespace(g.namespace),
		metadata:   metadatas.ForResource(newer).Lister().ByNamespace(g.namespace),
		seen:       &counts{},
		seenOfThem: &counts{},
	}
	value(objects.ForResource(newer).Informer().AddEventHandler(c.seen))
	value(metadatas.ForResource(newer).Informer().AddEventHandler(c.seenOfThem))
	objects.Start(ctx.Done())
	metadatas.Start(ctx.Done())
	holds("the objects to be in sync", objects.WaitForCacheSync(ctx.Done())[newer])
	holds("their metadata to be in sync", metadatas.WaitForCacheSync(ctx.Done())[newer])
	return c
}

// have tells whether both copies have as many objects.
func (c *copied) have(count int) bool {
	return len(value(c.objects.List(labels.Everything()))) == count && len(value(c.metadata.List(labels.Everything()))) == count
}

// labelled tells whether both copies know an object with a label.
func (c *copied) labelled(name, label string) bool {
	object, err := c.objects.Get(name)
	of, errOf := c.metadata.Get(name)
	return err == nil && object.(*unstructured.Unstructured).GetLabels()[label] == "yes" &&
		errOf == nil && of.(*metav1.PartialObjectMetadata).Labels[label] == "yes"
}

func (g *gadgets) informed(ctx context.Context) {
	value(g.newer.Create(ctx, aGadget("v1", "before", map[string]any{}), metav1.CreateOptions{}))
	c := g.copies(ctx)
	holds("what was there before", c.have(1))
	value(g.newer.Create(ctx, aGadget("v1", "after", map[string]any{}), metav1.CreateOptions{}))
	eventually(ctx, "what came after is in the copies", func() bool { return c.have(2) })
	value(g.newer.Patch(ctx, "after", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"yes"}}}`), metav1.PatchOptions{}))
	eventually(ctx, "the label is in the copies", func() bool { return c.labelled("after", "a") })
	must(g.newer.Delete(ctx, "before", metav1.DeleteOptions{}))
	eventually(ctx, "the deleted one is gone from the copies", func() bool { return c.have(1) })
	for _, seen := range []*counts{c.seen, c.seenOfThem} {
		eventually(ctx, "all was handed over, once", func() bool {
			return seen.added() == 2 && seen.updated() == 1 && seen.deleted() == 1
		})
	}
	must(g.newer.Delete(ctx, "after", metav1.DeleteOptions{}))
}

func (g *gadgets) outlived(ctx context.Context) {
	definitions := g.extend.ApiextensionsV1().CustomResourceDefinitions()
	value(g.newer.Create(ctx, aGadget("v1", "one", map[string]any{}), metav1.CreateOptions{}))
	value(g.older.Create(ctx, aGadget("v1beta1", "two", map[string]any{}), metav1.CreateOptions{}))
	c := g.copies(ctx)
	holds("both in the copies", c.have(2))
	must(definitions.Delete(ctx, definitionName, metav1.DeleteOptions{}))
	eventually(ctx, "the definition is gone", func() bool {
		_, err := definitions.Get(ctx, definitionName, metav1.GetOptions{})
		return errors.IsNotFound(err)
	})
	eventually(ctx, "the objects are gone from the copies", func() bool { return c.have(0) })
	eventually(ctx, "the kind is not served any more", func() bool {
		_, err := g.newer.List(ctx, metav1.ListOptions{})
		return errors.IsNotFound(err)
	})
	g.define(ctx)
	same("the number of objects", len(value(g.newer.List(ctx, metav1.ListOptions{})).Items), 0)
	made := aGadget("v1", "one", map[string]any{})
	made.SetLabels(map[string]string{"again": "yes"})
	value(g.newer.Create(ctx, made, metav1.CreateOptions{}))
	eventually(ctx, "the new one is in the copies", func() bool { return c.labelled("one", "again") })
	same("the number that was seen to go", c.seen.deleted(), 2)
}
