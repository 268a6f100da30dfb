package main

import (
	"context"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// electing lets two candidates compete for a Lease.
func electing(s *session) {
	first, second := newCandidate(s, "first"), newCandidate(s, "second")
	lease := func(ctx context.Context) coordinationv1.LeaseSpec {
		return value(s.clients.CoordinationV1().Leases(s.namespace).Get(ctx, "elected", metav1.GetOptions{})).Spec
	}
	s.check("the first one leads, the second one waits", func(ctx context.Context) {
		first.run(true)
		eventually(ctx, "the first one leads", first.leads.Load)
		second.run(true)
		eventually(ctx, "the second one knows who leads", func() bool { return second.elector.GetLeader() == "first" })
		before := lease(ctx).RenewTime
		eventually(ctx, "the lease is renewed", func() bool { return lease(ctx).RenewTime.After(before.Time) })
		holds("the second one not to lead", !second.leads.Load())
		same("the number of times that it went over", *lease(ctx).LeaseTransitions, 0)
	})
	s.check("the second one leads when the first one gives it up", func(ctx context.Context) {
		first.stop()
		eventually(ctx, "the second one leads", second.leads.Load)
		same("the holder", *lease(ctx).HolderIdentity, "second")
	})
	s.check("a third one leads when the second one is gone without a word", func(ctx context.Context) {
		third := newCandidate(s, "third")
		second.vanish()
		third.run(false)
		started := time.Now()
		eventually(ctx, "the third one leads", third.leads.Load)
		holds("it to have waited for the lease to run out", time.Since(started) > time.Second)
		same("the number of times that it went over", *lease(ctx).LeaseTransitions, 2)
		third.stop()
	})
	s.check("a candidacy of its own is there to be seen", func(ctx context.Context) {
		running, stop := context.WithCancel(ctx)
		defer stop()
		candidate, _, err := leaderelection.NewCandidate(s.clients, s.namespace, "go-candidate", "elected",
			"1.35.0", "1.34.0", coordinationv1.OldestEmulationVersion)
		must(err)

		go candidate.Run(running)
		candidates := s.clients.CoordinationV1beta1().LeaseCandidates(s.namespace)
		eventually(ctx, "it is there", func() bool {
			found, err := candidates.Get(ctx, "go-candidate", metav1.GetOptions{})
			return err == nil && found.Spec.LeaseName == "elected" && found.Spec.RenewTime != nil
		})
	})
}

// candidate is one that would lead.
type candidate struct {
	session *session
	name    string
	leads   atomic.Bool
	elector *leaderelection.LeaderElector
	cancel  context.CancelFunc
	ended   chan struct{}
	lock    *breakable
}

// breakable is a lock whose holder can vanish: nothing is written any more, so it is neither renewed nor released.
type breakable struct {
	resourcelock.Interface
	gone atomic.Bool
}

func (b *breakable) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if b.gone.Load() {
		return context.Canceled
	}
	return b.Interface.Update(ctx, record)
}

func newCandidate(s *session, name string) *candidate {
	return &candidate{session: s, name: name}
}

func (c *candidate) run(release bool) {
	c.lock = &breakable{Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: c.session.namespace, Name: "elected"},
		Client:     c.session.clients.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: c.name},
	}}
	c.elector = value(leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            c.lock,
		LeaseDuration:   2 * time.Second,
		RenewDeadline:   1500 * time.Millisecond,
		RetryPeriod:     200 * time.Millisecond,
		ReleaseOnCancel: release,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { c.leads.Store(true) },
			OnStoppedLeading: func() { c.leads.Store(false) },
		},
	}))
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.ended = cancel, make(chan struct{})
	go func() {
		defer close(c.ended)
		c.elector.Run(ctx)
	}()
}

// stop ends it in order.
func (c *candidate) stop() {
	c.cancel()
	<-c.ended
}

// vanish ends it without a word to the server.
func (c *candidate) vanish() {
	c.lock.gone.Store(true)
	c.cancel()
}
