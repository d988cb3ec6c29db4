//go:build unix

package workerd

import (
	"os/exec"
	"syscall"
)

// setProcessGroup gives cmd its own process group, so that node's child can be killed with it.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killProcessGroup kills the process group of cmd.
func killProcessGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
