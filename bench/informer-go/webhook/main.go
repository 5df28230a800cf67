// Answers admission reviews of ConfigMaps with controller-runtime's webhook server: the peer of bench/webhooks.ts.
// Arguments: folder with tls.crt and tls.key, port. Prints "ready" once it listens, and its processor time in microseconds
// for each line that it is sent.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type validator struct{}

func (validator) ValidateCreate(_ context.Context, object *corev1.ConfigMap) (admission.Warnings, error) {
	if object.Data["refuse"] != "" {
		return nil, errors.New("refused")
	}
	return nil, nil
}

func (validator) ValidateUpdate(context.Context, *corev1.ConfigMap, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

func (validator) ValidateDelete(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

func main() {
	port, err := strconv.Atoi(os.Args[2])
	check(err)
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[1]})
	server.Register("/validate--v1-configmap", admission.WithValidator[*corev1.ConfigMap](scheme.Scheme, validator{}))
	go func() {
		for server.StartedChecker()(nil) != nil {
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println("ready")
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			var usage syscall.Rusage
			check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
			fmt.Println((usage.Utime.Nano() + usage.Stime.Nano()) / 1000)
		}
	}()
	check(server.Start(context.Background()))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
