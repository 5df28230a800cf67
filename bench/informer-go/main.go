// Times how long controller-runtime's cache takes until it has synced all ConfigMaps of a namespace: the peer of
// bench/informer-sync.ts. Arguments: kubeconfig, namespace, rounds. Prints one line of milliseconds a round.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

func main() {
	rounds, err := strconv.Atoi(os.Args[3])
	check(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	for range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		began := time.Now()
		objects, err := cache.New(config, cache.Options{DefaultNamespaces: map[string]cache.Config{os.Args[2]: {}}})
		check(err)
		_, err = objects.GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
		check(err)
		go func() { check(objects.Start(ctx)) }()
		if !objects.WaitForCacheSync(ctx) {
			panic("not synced")
		}
		fmt.Println(time.Since(began).Milliseconds())
		cancel()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
