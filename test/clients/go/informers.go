package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// many is enough objects for several buffers.
const many = 1200

func ofMany(options *metav1.ListOptions) { options.LabelSelector = "of=many" }

// informing keeps copies up to date, which it begins with a list or with a watch. It wants a server that keeps little
// history, and to have it restarted.
func informing(s *session) {
	line := &line{}
	config := rest.CopyConfig(s.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { line.next = next; return line })
	clients := kubernetes.NewForConfigOrDie(config)
	writer := s.clients.CoreV1().ConfigMaps(s.namespace)
	ended, end := context.WithCancel(context.Background())
	defer end()

	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(s.namespace),
		informers.WithTransform(ctrlcache.TransformStripManagedFields()), informers.WithTweakListOptions(ofMany))
	informer := factory.Core().V1().ConfigMaps().Informer()
	lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps(s.namespace)
	seen := &counts{}
	value(informer.AddEventHandler(seen))
	must(informer.AddIndexers(cache.Indexers{"color": func(object any) ([]string, error) {
		return []string{object.(*corev1.ConfigMap).Data["color"]}, nil
	}}))
	has := func(name, key, want string) func() bool {
		return func() bool {
			found, err := lister.Get(name)
			return err == nil && found.Data[key] == want
		}
	}

	s.check(fmt.Sprintf("%d objects are there after the first sync", many), func(ctx context.Context) {
		var writers sync.WaitGroup
		for of := range 8 {
			writers.Go(func() {
				for i := of; i < many; i += 8 {
					_, _ = writer.Create(ctx, &corev1.ConfigMap{
						ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("many-%04d", i), Labels: map[string]string{"of": "many"}},
						Data:       map[string]string{"color": []string{"red", "green"}[i%2], "text": strings.Repeat("x", 500)},
					}, metav1.CreateOptions{})
				}
			})
		}
		writers.Wait()
		factory.Start(ended.Done())
		for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
			holds(kind.String()+" to be in sync", synced)
		}
		same("the number in the copy", len(value(lister.List(labels.Everything()))), many)
		same("the number of green ones", len(value(informer.GetIndexer().ByIndex("color", "green"))), many/2)
		eventually(ctx, "each was handed over", func() bool { return seen.added() == many })
		holds("no managed fields in the copy", value(lister.Get("many-0001")).ManagedFields == nil)
	})
	s.check("it began as it was told to", func(context.Context) {
		lists, beginnings := line.lists(), line.watches("sendInitialEvents=true")
		if s.part == beginsWithWatch {
			same("the number of lists", lists, 0)
			same("the number of watches that begin with what is there", beginnings, 1)
		} else {
			holds("a list", lists > 0)
			same("the number of watches that begin with what is there", beginnings, 0)
		}
	})
	s.check("changes come as they are made", func(ctx context.Context) {
		value(writer.Patch(ctx, "many-0000", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{}))
		eventually(ctx, "the change is in the copy", has("many-0000", "color", "blue"))
		must(writer.Delete(ctx, "many-0001", metav1.DeleteOptions{}))
		eventually(ctx, "the deleted one is gone from the copy", func() bool {
			_, err := lister.Get("many-0001")
			return errors.IsNotFound(err)
		})
		eventually(ctx, "both were handed over", func() bool { return seen.updated() == 1 && seen.deleted() == 1 })
	})
	s.check("it resumes where it was when the connection breaks", func(ctx context.Context) {
		line.forget()
		line.cut()
		value(writer.Patch(ctx, "many-0002", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{}))
		line.mend()
		eventually(ctx, "the change that it missed is in the copy", has("many-0002", "color", "blue"))
		same("the number of lists", line.lists()+line.watches("sendInitialEvents=true"), 0)
	})
	s.check("it begins anew when it was away for longer than the history lasts", func(ctx context.Context) {
		line.forget()
		line.cut()
		before := value(writer.Patch(ctx, "many-0004", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{}))
		must(writer.Delete(ctx, "many-0005", metav1.DeleteOptions{}))
		eventually(ctx, "what it has seen last is no longer in the history", func() bool {
			// It goes from the disk while the server runs, and from memory with the server.
			time.Sleep(2500 * time.Millisecond)
			s.restart()
			return expired(ctx, s, before.ResourceVersion)
		})
		line.mend()
		eventually(ctx, "the change that it missed is in the copy", has("many-0004", "color", "blue"))
		eventually(ctx, "what was deleted meanwhile is gone from the copy", func() bool {
			_, err := lister.Get("many-0005")
			return errors.IsNotFound(err)
		})
		holds("it to have begun anew", line.lists()+line.watches("sendInitialEvents=true") > 0)
		value(writer.Patch(ctx, "many-0006", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{}))
		eventually(ctx, "a later change is in the copy", has("many-0006", "color", "blue"))
	})
	s.check("it resumes where it was when the server restarts", func(ctx context.Context) {
		line.forget()
		s.restart()
		value(writer.Patch(ctx, "many-0003", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{}))
		eventually(ctx, "the change after it is in the copy", has("many-0003", "color", "blue"))
		same("the number of lists", line.lists()+line.watches("sendInitialEvents=true"), 0)
	})
	s.check("informers of a few only, and without types", func(ctx context.Context) {
		one := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(s.namespace),
			informers.WithTweakListOptions(func(options *metav1.ListOptions) {
				options.FieldSelector = fields.OneTermEqualSelector("metadata.name", "many-0007").String()
			})).Core().V1().ConfigMaps().Informer()
		go one.Run(ended.Done())
		untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0, s.namespace, ofMany).
			ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")).Informer()
		go untyped.Run(ended.Done())
		holds("both to be in sync", cache.WaitForCacheSync(ctx.Done(), one.HasSynced, untyped.HasSynced))
		same("the number of one", len(one.GetStore().List()), 1)
		same("the number of all", len(untyped.GetStore().List()), many-2)
	})
}

// expired tells whether a watch from a version is refused for its age.
func expired(ctx context.Context, s *session, version string) bool {
	events, err := s.clients.CoreV1().ConfigMaps(s.namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return errors.IsResourceExpired(err) || errors.IsGone(err)
	}
	defer events.Stop()
	select {
	case event := <-events.ResultChan():
		status := errors.FromObject(event.Object)
		return errors.IsResourceExpired(status) || errors.IsGone(status)
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

// counts is a handler that counts.
type counts struct {
	mutex                  sync.Mutex
	adds, updates, deletes int
}

func (c *counts) add(to *int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	*to++
}

func (c *counts) read(from *int) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return *from
}

func (c *counts) OnAdd(any, bool)   { c.add(&c.adds) }
func (c *counts) OnUpdate(_, _ any) { c.add(&c.updates) }
func (c *counts) OnDelete(any)      { c.add(&c.deletes) }
func (c *counts) added() int        { return c.read(&c.adds) }
func (c *counts) updated() int      { return c.read(&c.updates) }
func (c *counts) deleted() int      { return c.read(&c.deletes) }

// line is a connection that keeps account of what is asked over it, and that can be cut.
type line struct {
	next   http.RoundTripper
	mutex  sync.Mutex
	mended chan struct{}
	asked  []string
	open   []*breakingBody
}

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := l.whole(request.Context()); err != nil {
		return nil, err
	}
	l.mutex.Lock()
	l.asked = append(l.asked, request.URL.RawQuery)
	l.mutex.Unlock()
	response, err := l.next.RoundTrip(request)
	if err == nil {
		body := &breakingBody{ReadCloser: response.Body}
		response.Body = body
		l.mutex.Lock()
		l.open = append(l.open, body)
		l.mutex.Unlock()
	}
	return response, err
}

// whole waits until the line is not cut.
func (l *line) whole(ctx context.Context) error {
	l.mutex.Lock()
	mended := l.mended
	l.mutex.Unlock()
	if mended == nil {
		return nil
	}
	select {
	case <-mended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cut breaks what is open; what comes waits, so that clients do not lose patience.
func (l *line) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.mended = make(chan struct{})
	for _, body := range l.open {
		body.broken.Store(true)
		_ = body.Close()
	}
	l.open = nil
}

func (l *line) mend() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	close(l.mended)
	l.mended = nil
}

// forget begins the account anew.
func (l *line) forget() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.asked = nil
}

func (l *line) count(of func(query string) bool) int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	n := 0
	for _, query := range l.asked {
		if of(query) {
			n++
		}
	}
	return n
}

func (l *line) lists() int {
	return l.count(func(query string) bool { return !strings.Contains(query, "watch=true") })
}

func (l *line) watches(with string) int {
	return l.count(func(query string) bool { return strings.Contains(query, "watch=true") && strings.Contains(query, with) })
}

// breakingBody is a body that ends in the middle when its line is cut.
type breakingBody struct {
	io.ReadCloser
	broken atomic.Bool
}

func (b *breakingBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.broken.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
