//! The client's commands: hello, subscribe, sync, unsubscribe, refresh. Called by `LiveSocket::handle_waiting`. Each
//! reads the database in a task beside the context and answers through the inbox.

use std::collections::HashSet;

use bipe_actors::envelope::ErrorFrame;
use bipe_actors::worker::hub::SubscribeRequest;
use bipe_actors::worker::inbox::WINDOW_FRAMES;
use bipe_core::Code;
use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::event::{Audience, Channel};
use bipe_core::rate_limit::count_refusal;
use bipe_core::scope::Access;
use jiff::Timestamp;
use tokio::time::Instant;

use super::{CloseResult, Ctx, LIFETIME, LiveSocket, MAX_CHANNELS, Person, RETRY};
use crate::live::access::audience_of;
use crate::live::frame::{RequestedChannel, ServerFrame, channel_of, close};
use crate::live::identity::Credential;
use crate::live::limits::Bucket;
use crate::live::sweeper::jittered;

impl LiveSocket {
    pub(super) fn hello(
        &mut self,
        id: u64,
        credential: CloseResult<Credential>,
        mut wanted: Vec<RequestedChannel>,
        ctx: &mut Ctx,
    ) {
        self.said_hello = true;
        self.state.mark_changes(self.worker.app.live.access.changes());
        let worker = self.worker.clone();
        // Each answer costs a read: a channel that is named often gets one.
        let mut named = HashSet::new();
        wanted.retain(|wanted| named.insert(wanted.channel.clone()));
        let companies = wanted.iter().any(|wanted| wanted.channel.contains('/'));
        let work = async move {
            let mut owner = worker.identify(credential?).await?;
            let access = if companies { Some(worker.access(owner.who).await?) } else { None };
            // The session may end later than the resume token says, when it was used since the token was issued.
            owner.until = access.as_ref().map_or(owner.until, |access| access.until);
            Ok((owner, access))
        };
        self.run_beside(ctx, work, move |socket, (owner, access)| {
            socket.inbox().hold_answers();
            let person = socket.welcome(id, owner);
            for wanted in wanted {
                socket.subscribe_if_allowed(id, wanted, person, access.as_deref());
            }
            if socket.worker.hub.channels(person.socket).is_empty() {
                socket.inbox().release_answers();
            } else {
                socket.worker.welcomes.add(socket.state.clone());
            }
        });
    }

    fn welcome(&mut self, id: u64, owner: SocketOwner) -> Person {
        let who = owner.who;
        let (app, hub) = (&self.worker.app, &self.worker.hub);
        let socket = hub.add_socket(who.user_id, self.state.inbox.clone());
        if let Some((hub, oldest)) = self.permit.count_person(who.user_id, (hub.id(), socket)) {
            let live = app.live.handle.clone();
            actix_web::rt::spawn(async move { live.close(hub, oldest, close::TOO_MANY).await });
        }
        let expires_at = self.expiry(owner);
        let heartbeat = app.live.timing.heartbeat;
        let first_ping = Instant::now() + jittered(heartbeat, &app.clock);
        self.state.admit(socket, owner, expires_at, first_ping);
        let welcome = ServerFrame::Welcome {
            id,
            connection: format!("{:x}-{socket:x}", hub.id()),
            server_time: self.now(),
            expires_at,
            resume: app.auth.issue_resume(owner, self.now()),
            heartbeat_ms: u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX),
            window: WINDOW_FRAMES,
            retry: RETRY,
        };
        self.inbox().put_control(welcome.envelope());
        let person = Person { socket, who };
        self.person = Some(person);
        self.worker.people.add(who.user_id, socket, self.state.clone());
        if self.state.has_missed_changes(app.live.access.changes()) {
            actix_web::rt::spawn(self.worker.clone().recheck(who.user_id));
        }
        person
    }

    /// When the socket expires. An open socket does not keep its session alive, so it ends with the session.
    fn expiry(&self, owner: SocketOwner) -> Timestamp {
        self.now().checked_add(LIFETIME).unwrap_or(Timestamp::MAX).min(owner.until)
    }

    /// Subscribes to a channel; one that is subscribed already starts anew, as by `sync`. One that the socket has left
    /// draws on the same bucket, or leaving would buy more answers.
    pub(super) fn subscribe(
        &mut self,
        id: u64,
        wanted: RequestedChannel,
        person: Person,
        ctx: &mut Ctx,
    ) {
        if self.is_subscribed(&wanted.channel, person) {
            return self.sync(id, wanted, person, ctx);
        }
        let channel = channel_of(&wanted.channel, person.who.user_id);
        let bucket = channel.and_then(|channel| self.syncs.get_mut(&channel));
        if bucket.is_some_and(|bucket| !bucket.take(Instant::now())) {
            return self.refuse(id, &wanted.channel, Code::RateLimited);
        }
        self.read_access_and_subscribe(id, wanted, person, ctx);
    }

    pub(super) fn sync(
        &mut self,
        id: u64,
        wanted: RequestedChannel,
        person: Person,
        ctx: &mut Ctx,
    ) {
        let channel = channel_of(&wanted.channel, person.who.user_id);
        let Some(channel) = channel.filter(|_| self.is_subscribed(&wanted.channel, person)) else {
            return self.refuse(id, &wanted.channel, Code::NotFound);
        };
        if !self.sync_bucket(channel).take(Instant::now()) {
            return self.refuse(id, &wanted.channel, Code::RateLimited);
        }
        self.read_access_and_subscribe(id, wanted, person, ctx);
    }

    /// Kept when the socket leaves the channel.
    fn sync_bucket(&mut self, channel: Channel) -> &mut Bucket {
        let rate = self.worker.app.live.rate;
        self.syncs.entry(channel).or_insert_with(|| Bucket::of_syncs(rate))
    }

    fn read_access_and_subscribe(
        &mut self,
        id: u64,
        wanted: RequestedChannel,
        person: Person,
        ctx: &mut Ctx,
    ) {
        let (worker, changes) = (self.worker.clone(), self.worker.app.live.access.changes());
        let work = async move { worker.access(person.who).await };
        self.run_beside(ctx, work, move |socket, access| {
            socket.subscribe_if_allowed(id, wanted, person, Some(&access));
            socket.worker.recheck_if_changed(person.who.user_id, changes);
        });
    }

    fn is_subscribed(&self, name: &str, Person { socket, who }: Person) -> bool {
        let channel = channel_of(name, who.user_id);
        channel.is_some_and(|channel| self.worker.hub.audience(socket, channel).is_some())
    }

    /// Subscribes to a channel that the person may read.
    fn subscribe_if_allowed(
        &mut self,
        id: u64,
        RequestedChannel { channel: name, since }: RequestedChannel,
        Person { socket, who }: Person,
        access: Option<&Access>,
    ) {
        let Some(channel) = channel_of(&name, who.user_id) else {
            return self.refuse(id, &name, Code::NotFound);
        };
        let audience = match (access, channel) {
            (Some(access), channel) => audience_of(access, channel),
            (None, Channel::User(_) | Channel::Plans) => Some(Audience::Finance),
            (None, _) => None,
        };
        let Some(audience) = audience else {
            return self.refuse(id, &name, Code::Forbidden);
        };
        let known = self.worker.hub.channels(socket);
        let is_new = !known.contains(&channel);
        let company = channel.company();
        if is_new && known.len() >= MAX_CHANNELS {
            count_refusal("live_channels");
            // Time frees no place: the client has to leave another channel first.
            return self.answer_refusal(id, &name, Code::RateLimited, false);
        }
        if !company.is_none_or(|id| self.permit.count_reader(id)) {
            return self.refuse(id, &name, Code::RateLimited);
        }
        let wanted = SubscribeRequest { channel, since, audience, request: id };
        if !self.worker.hub.subscribe(socket, wanted) {
            if is_new {
                self.state.leave(channel);
            }
            self.refuse(id, &name, Code::ServiceUnavailable);
        }
    }

    fn refuse(&self, id: u64, channel: &str, code: Code) {
        let retry = matches!(code, Code::RateLimited | Code::ServiceUnavailable);
        self.answer_refusal(id, channel, code, retry);
    }

    /// `retry`: the same request may be granted later.
    fn answer_refusal(&self, id: u64, channel: &str, code: Code, retry: bool) {
        let channel = Some(channel.to_owned());
        self.inbox().put_control(ErrorFrame { id, code, retry, channel }.envelope());
    }

    pub(super) fn unsubscribe(&mut self, id: u64, name: &str, Person { socket, who }: Person) {
        let channel = channel_of(name, who.user_id);
        let Some(channel) = channel.filter(|channel| self.worker.hub.unsubscribe(socket, *channel))
        else {
            return self.refuse(id, name, Code::NotFound);
        };
        self.state.leave(channel);
        // From here on its `subscribe` draws on it.
        self.sync_bucket(channel);
        self.inbox().put_control(ServerFrame::Ok { id }.envelope());
    }

    pub(super) fn refresh(
        &mut self,
        id: u64,
        ticket: String,
        Person { socket: own, who }: Person,
        ctx: &mut Ctx,
    ) {
        let (worker, changes) = (self.worker.clone(), self.worker.app.live.access.changes());
        let work = async move { worker.identify(Credential::Ticket(ticket)).await };
        self.run_beside(ctx, work, move |socket, again| {
            if again.who.user_id != who.user_id {
                return socket.inbox().close(close::PROTOCOL);
            }
            // The socket belongs to the session of the new ticket from here on, and ends with that one.
            socket.person = Some(Person { socket: own, who: again.who });
            let expires_at = socket.expiry(again);
            socket.state.extend(again, expires_at);
            socket.worker.recheck_if_changed(who.user_id, changes);
            let resume = socket.worker.app.auth.issue_resume(again, socket.now());
            let refreshed = ServerFrame::Refreshed { id, expires_at, resume };
            socket.inbox().put_control(refreshed.envelope());
        });
    }
}
