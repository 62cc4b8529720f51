"""The jobs as the settings have them."""

from datetime import timedelta, tzinfo
from functools import cache

from stratal.engines import embedder_of
from stratal.jobs import retaining
from stratal.jobs.consolidating import CONSOLIDATE, SETTING, Consolidating
from stratal.jobs.hours import read_quiet
from stratal.jobs.registry import Job
from stratal.jobs.retaining import Retaining
from stratal.jobs.table import Table
from stratal.jobs.triggers import read_triggers
from stratal.jobs.worker import Pace
from stratal.providers.circuit import Circuits
from stratal.settings import Settings
from stratal_memory.consolidation.retention import Retention
from stratal_memory.store import Clock, utc_now
from stratal_memory.truth.database import Database


def job_table(
    settings: Settings, database: Database, *, clock: Clock = utc_now, zone: tzinfo | None = None
) -> Table:
    """The jobs of `settings`; `ConfigError` for a schedule that is none or never comes due.

    `zone` is where hours are counted; None: the machine's.
    """
    part = settings.jobs
    triggers = read_triggers(part.consolidate, setting=SETTING, zone=zone)
    idle = min([timedelta(minutes=part.idle_minutes), *triggers.idle])
    work = Consolidating(
        settings=settings,
        database=database,
        embedder=cache(lambda: embedder_of(settings)),
        idle=idle,
        clock=clock,
        circuits=Circuits(settings.providers.circuit()),
    )
    return Table(
        jobs=(
            Job(name=CONSOLIDATE, triggers=triggers, work=work),
            _retention(settings, database, clock=clock, zone=zone),
        ),
        quiet=read_quiet(part.quiet_hours, setting="jobs.quiet_hours", zone=zone),
        jitter=timedelta(minutes=part.jitter_minutes),
    )


def _retention(settings: Settings, database: Database, *, clock: Clock, zone: tzinfo | None) -> Job:
    part = settings.jobs
    kept = Retention(
        archive=timedelta(days=part.archive_days), erase=timedelta(days=part.erase_days)
    )
    work = Retaining(settings=settings, database=database, retention=kept, clock=clock)
    triggers = read_triggers(part.retention, setting=retaining.SETTING, zone=zone)
    return Job(name=retaining.RETENTION, triggers=triggers, work=work)


def pace_of(settings: Settings) -> Pace:
    """The pace of workers that the settings name."""
    part = settings.jobs
    return Pace(
        items=part.slice_items, tries=part.tries, wait=timedelta(minutes=part.retry_minutes)
    )
