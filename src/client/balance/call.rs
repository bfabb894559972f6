//! Picking for a program: one instance, or one after the other until a request is answered.

use super::picked::Picked;
use crate::client::handle::EurekaClient;
use crate::model::InstanceKey;

/// No instance can be picked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no instance of {name:?} is known")]
pub struct NoInstance {
    /// The name that was asked for.
    pub name: String,
}

/// A request was answered by nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered<E> {
    /// There was nobody to ask.
    #[error(transparent)]
    NoInstance(#[from] NoInstance),
    /// All that were asked failed; this is what the last one did.
    #[error("{0}")]
    Failed(E),
}

impl EurekaClient {
    /// Picks an instance by the client's [`Policy`](super::Policy); names as in [`EurekaClient::instances`].
    pub fn pick(&self, name: &str) -> Result<Picked, NoInstance> {
        self.pick_but(name, &[])
    }

    pub(crate) fn pick_but(&self, name: &str, tried: &[InstanceKey]) -> Result<Picked, NoInstance> {
        let instances = self.instances(name);
        let picked = self.0.balancer.pick(name, &instances, tried);
        picked.ok_or_else(|| NoInstance {
            name: name.to_string(),
        })
    }

    /// Does `request` with one instance after the other, each at most once, until one answers: at most `tries`. How it
    /// went is told to the balancer. Only requests that may be carried out twice should be tried twice.
    pub async fn call<T, E, R>(
        &self,
        name: &str,
        tries: usize,
        mut request: impl FnMut(String) -> R,
    ) -> Result<T, Unanswered<E>>
    where
        R: Future<Output = Result<T, E>>,
    {
        let mut tried = Vec::new();
        let mut failed = None;
        while tried.len() < tries.max(1) {
            let picked = match (self.pick_but(name, &tried), failed.take()) {
                (Ok(picked), _) => picked,
                (Err(_), Some(error)) => return Err(Unanswered::Failed(error)),
                (Err(nobody), None) => return Err(nobody.into()),
            };
            tried.push(picked.key());
            match request(picked.url()).await {
                Ok(answer) => {
                    picked.succeeded();
                    return Ok(answer);
                }
                Err(error) => {
                    picked.failed();
                    failed = Some(error);
                }
            }
        }
        match failed {
            Some(error) => Err(Unanswered::Failed(error)),
            None => Err(NoInstance {
                name: name.to_string(),
            }
            .into()),
        }
    }
}
