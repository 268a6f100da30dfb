package main

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

// recording tells what has happened with the recorders of both APIs, and reads it back with the other one.
func recording(s *session) {
	core := s.clients.CoreV1().Events(s.namespace)
	newer := s.clients.EventsV1().Events(s.namespace)
	about := func(ctx context.Context) *corev1.ConfigMap {
		return value(s.clients.CoreV1().ConfigMaps(s.namespace).Create(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "about-"}}, metav1.CreateOptions{}))
	}

	s.check("with core events, the same once more is counted and many alike are put together", func(ctx context.Context) {
		broadcaster := record.NewBroadcaster(record.WithContext(ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: s.clients.CoreV1().Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "go-clients", Host: "here"})
		object := about(ctx)
		for range 3 {
			recorder.Event(object, corev1.EventTypeNormal, "Tried", "it was tried")
		}
		for i := range 12 {
			recorder.Eventf(object, corev1.EventTypeWarning, "Failed", "attempt %d failed", i)
		}
		find := func(reason string) []corev1.Event {
			return value(core.List(ctx, metav1.ListOptions{FieldSelector: "reason=" + reason + ",involvedObject.name=" + object.Name})).Items
		}
		eventually(ctx, "the same is one event that counts 3", func() bool {
			found := find("Tried")
			return len(found) == 1 && found[0].Count == 3
		})
		eventually(ctx, "those alike become one with a message of its own", func() bool {
			for _, found := range find("Failed") {
				if strings.HasPrefix(found.Message, "(combined from similar events)") && found.Count > 1 {
					return true
				}
			}
			return false
		})
		found := value(core.SearchWithContext(ctx, scheme.Scheme, object))
		holds("a search about the object to find them", len(found.Items) >= 2)
		same("the component as the newer API shows it",
			value(newer.Get(ctx, find("Tried")[0].Name, metav1.GetOptions{})).DeprecatedSource.Component, "go-clients")
	})
	s.check("with events.k8s.io, the same once more is a series", func(ctx context.Context) {
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: s.clients.EventsV1()})
		defer broadcaster.Shutdown()
		must(broadcaster.StartRecordingToSinkWithContext(ctx))
		recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/go-clients")
		object, related := about(ctx), about(ctx)
		find := func() []eventsv1.Event {
			return value(newer.List(ctx, metav1.ListOptions{FieldSelector: "regarding.name=" + object.Name})).Items
		}
		recorder.Eventf(object, related, corev1.EventTypeNormal, "Tried", "Trying", "it was tried %d times", 1)
		eventually(ctx, "it is there", func() bool { return len(find()) == 1 })
		for range 3 {
			recorder.Eventf(object, related, corev1.EventTypeNormal, "Tried", "Trying", "it was tried %d times", 1)
		}
		eventually(ctx, "it is a series", func() bool { return find()[0].Series != nil })
		found := find()[0]
		same("the controller", found.ReportingController, "example.com/go-clients")
		same("the action", found.Action, "Trying")
		same("the related one", found.Related.Name, related.Name)
		old := value(core.Get(ctx, found.Name, metav1.GetOptions{}))
		same("the message as core shows it", old.Message, found.Note)
		same("the object as core shows it", old.InvolvedObject.UID, object.UID)
	})
}
