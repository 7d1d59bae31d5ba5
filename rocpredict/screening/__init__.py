"""Screening of many features."""
