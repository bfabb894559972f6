//! Which times a client takes: what comes again and again needs a pause, and a clock has an end.

use std::time::Duration;

use super::builder::Builder;

/// The shortest time between two of anything that comes again and again.
const SHORTEST: Duration = Duration::from_millis(10);
/// The longest time of all: what is to be "never" stays a time that can be added to a clock.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

impl Builder {
    /// Times that somebody may have meant otherwise: 0 for "all the time", and the largest there is for "never".
    pub(super) fn bound_times(&mut self) {
        for every in [
            &mut self.look_up_every,
            &mut self.registrar.replication_interval,
            &mut self.discovery.interval,
            &mut self.discovery.full_every,
        ] {
            *every = (*every).clamp(SHORTEST, LONGEST);
        }
        for time in [
            &mut self.http.connect_timeout,
            &mut self.request_timeout,
            &mut self.session_life,
            &mut self.discovery.patience,
            &mut self.balance.eject_for,
            &mut self.shutdown_timeout,
        ] {
            *time = (*time).min(LONGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_neither_none_nor_for_ever() {
        let odd = |time| {
            let mut builder = crate::client::EurekaClient::builder()
                .look_up_servers_every(time)
                .replication_interval(time)
                .fetch_interval(time)
                .full_fetch_every(time)
                .session_life(time)
                .shutdown_timeout(time);
            builder.bound_times();
            let options = &builder.discovery;
            let registrar = &builder.registrar;
            let often = [
                builder.look_up_every,
                registrar.replication_interval,
                options.interval,
                options.full_every,
            ];
            (often, builder.session_life, builder.shutdown_timeout)
        };
        let none = Duration::ZERO;
        assert_eq!(odd(none), ([SHORTEST; 4], none, none));
        assert_eq!(odd(Duration::MAX), ([LONGEST; 4], LONGEST, LONGEST));
        let usual = Duration::from_secs(30);
        assert_eq!(odd(usual), ([usual; 4], usual, usual));
    }
}
