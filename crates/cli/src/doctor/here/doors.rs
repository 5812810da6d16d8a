//! Checks what `sheave run` needs.

use std::io;

use sheave_run::{Doors, MemoryAccess};

use crate::doctor::check::{Check, State};

/// Runs the checks.
pub fn look() -> io::Result<Doors> {
    sheave_run::doors()
}

/// Reports the result; `sockets` is whether the kernel provides SCTP sockets, which makes `sheave
/// run` unnecessary.
pub fn check(doors: &io::Result<Doors>, sockets: bool) -> Check {
    let found = check_with_library(doors, sockets);
    match doors {
        Ok(doors) if !doors.library => Check {
            saw: format!("{}; no library to preload in this build", found.saw),
            ..found
        },
        _ => found,
    }
}

fn check_with_library(doors: &io::Result<Doors>, sockets: bool) -> Check {
    let name = "sheave run";
    let lacking = match sockets {
        true => State::Warn,
        false => State::Bad,
    };
    let refused =
        |saw: String, means: &str, fix: &str| Check::new(lacking, name, saw, means).fix(fix);
    let doors = match doors {
        Ok(doors) => doors,
        Err(error) => {
            let saw = format!("no child process can be made: {error}");
            return Check::new(State::Unknown, name, saw, "Nothing can be tried.");
        }
    };
    let library = "use the library `sheave` in the program, where its source can change";
    let preloads = doors.memory.as_ref().ok().filter(|_| doors.library);
    if let Some(release) = &doors.too_old {
        let saw = format!("Linux {release}");
        let means = "Linux 5.14 is the first whose seccomp listener suffices.";
        return match preloads {
            Some(memory) => only_preloaded(&saw, means, *memory),
            None => refused(saw, means, library),
        };
    }
    if let Err(error) = &doors.listener {
        let nested = error.raw_os_error() == Some(libc::EBUSY);
        if let Some(memory) = preloads {
            let means = match nested {
                true => {
                    "Another supervisor around this shell has the one listener that there can be."
                }
                false => "A container's profile or a sandbox refuses seccomp filters.",
            };
            let saw = match nested {
                true => "seccomp listener: EBUSY".to_owned(),
                false => format!("seccomp listener: {error}"),
            };
            return only_preloaded(&saw, means, *memory);
        }
        return match error.raw_os_error() {
            Some(libc::EBUSY) => refused(
                "seccomp listener: EBUSY".to_owned(),
                "Another supervisor around this shell has the one listener that a process tree can \
                 have: it may be a `sheave run` or a sandbox.",
                "start one `sheave run -- sh -c '...'` around all programs, outside of the other \
                 supervisor",
            ),
            _ => refused(
                format!("seccomp listener: {error}"),
                "A container's profile or a sandbox (gVisor) refuses seccomp filters.",
                "allow the call seccomp() in the container's profile, as Docker's default does; \
                 else the library `sheave`",
            ),
        };
    }
    let memory = match &doors.memory {
        Ok(memory) => way(*memory),
        Err(error) => {
            return refused(
                format!("seccomp listener: works; process_vm_readv and /proc/PID/mem: {error}"),
                "The memory of programs cannot be reached: no message could be copied.",
                "sudo sysctl kernel.yama.ptrace_scope=1, or allow process_vm_readv and \
                 process_vm_writev in the container's profile",
            );
        }
    };
    let works = format!("seccomp listener, not nested: works; {memory}: works; pidfd_getfd");
    match &doors.descriptors {
        Ok(()) => Check::new(
            State::Ok,
            name,
            format!("{works}: works"),
            "Unmodified programs get SCTP sockets: sheave run -- PROGRAM",
        ),
        Err(error) => Check::new(
            State::Ok,
            name,
            format!("{works}: {error}"),
            "Programs are served; the close of a socket is noticed some milliseconds later.",
        )
        .more("with CAP_SYS_PTRACE in the container, closes are noticed at once"),
    }
}

/// The name of the method of accessing a program's memory.
fn way(memory: MemoryAccess) -> &'static str {
    match memory {
        MemoryAccess::Calls => "process_vm_readv",
        MemoryAccess::File => "/proc/PID/mem",
    }
}

/// Reports that only a preloaded library works.
fn only_preloaded(saw: &str, means: &str, memory: MemoryAccess) -> Check {
    let saw = format!("{saw}; {}: works", way(memory));
    let means = format!(
        "{means} A library is preloaded instead: dynamic programs get SCTP sockets, static ones and \
         those of Go do not."
    );
    Check::new(State::Warn, "sheave run", saw, means)
        .fix("sheave run -- PROGRAM, which preloads; for static programs start it outside")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors() -> Doors {
        Doors {
            listener: Ok(()),
            memory: Ok(MemoryAccess::Calls),
            descriptors: Ok(()),
            library: false,
            too_old: None,
        }
    }

    fn error<T>(code: i32) -> io::Result<T> {
        Err(io::Error::from_raw_os_error(code))
    }

    #[test]
    fn a_machine_that_grants_everything_is_well() {
        assert_eq!(check(&Ok(doors()), false).state, State::Ok);
    }

    #[test]
    fn a_nested_supervisor_is_told_from_a_refusal() {
        let check_of = |code| {
            let listener = error(code);
            check(
                &Ok(Doors {
                    listener,
                    ..doors()
                }),
                false,
            )
        };
        let (nested, refused) = (check_of(libc::EBUSY), check_of(libc::EPERM));
        assert_eq!((nested.state, refused.state), (State::Bad, State::Bad));
        assert!(nested.means.contains("one listener"), "{}", nested.means);
        assert!(refused.means.contains("profile"), "{}", refused.means);
    }

    #[test]
    fn a_build_without_the_library_is_told() {
        let said = |library| check(&Ok(Doors { library, ..doors() }), false).saw;
        assert!(said(false).ends_with("no library to preload in this build"));
        assert!(!said(true).contains("library"));
    }

    #[test]
    fn a_library_that_can_be_preloaded_is_the_second_door() {
        let found = |code, memory| {
            let doors = Doors {
                listener: error(code),
                memory,
                library: true,
                ..doors()
            };
            check(&Ok(doors), false)
        };
        for code in [libc::EBUSY, libc::EPERM] {
            let found = found(code, Ok(MemoryAccess::Calls));
            assert_eq!(found.state, State::Warn);
            assert!(found.means.contains("preloaded"), "{}", found.means);
        }
        // Both methods need access to the program's memory.
        assert_eq!(found(libc::EBUSY, error(libc::EPERM)).state, State::Bad);
    }

    #[test]
    fn no_door_is_no_catastrophe_where_the_kernel_has_sctp() {
        let listener = error(libc::EPERM);
        let without = Ok(Doors {
            listener,
            ..doors()
        });
        assert_eq!(check(&without, true).state, State::Warn);
    }

    #[test]
    fn descriptors_that_cannot_be_copied_are_no_obstacle() {
        let descriptors = error(libc::EPERM);
        let found = check(
            &Ok(Doors {
                descriptors,
                ..doors()
            }),
            false,
        );
        assert_eq!(found.state, State::Ok);
        assert!(found.more.unwrap().contains("CAP_SYS_PTRACE"));
    }

    #[test]
    fn memory_as_a_file_suffices() {
        let memory = Ok(MemoryAccess::File);
        let found = check(&Ok(Doors { memory, ..doors() }), false);
        assert_eq!(found.state, State::Ok);
        assert!(found.saw.contains("/proc/PID/mem: works"), "{}", found.saw);
    }

    #[test]
    fn memory_out_of_reach_names_the_switch() {
        let memory = error(libc::EPERM);
        let found = check(&Ok(Doors { memory, ..doors() }), false);
        assert_eq!(found.state, State::Bad);
        assert!(found.fix.unwrap().contains("ptrace_scope"));
    }

    #[test]
    fn an_old_kernel_is_told_before_all_else() {
        let too_old = Some("5.10.0".to_owned());
        let listener = error(libc::EINVAL);
        let found = check(
            &Ok(Doors {
                too_old,
                listener,
                ..doors()
            }),
            false,
        );
        assert!(found.saw.starts_with("Linux 5.10.0"), "{}", found.saw);
    }
}
