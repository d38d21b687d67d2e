// All criteria: a new one is its file and a line in each of the two lists here.
#pragma once
#include <stdexcept>
#include <string>

#include "criteria/absolute_error.hpp"
#include "criteria/chi_square.hpp"
#include "criteria/entropy.hpp"
#include "criteria/error.hpp"
#include "criteria/formula.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/gini.hpp"
#include "criteria/hellinger.hpp"
#include "criteria/poisson.hpp"
#include "criteria/sqrt.hpp"
#include "criteria/squared_error.hpp"
#include "criteria/superclasses.hpp"
#include "criteria/twoing.hpp"
#include "criteria/weka_gain.hpp"

namespace treewright {

template <class... C>
struct CriterionList {
    /// Call use.template operator()<C>() with the criterion of that name: names are resolved once per call.
    template <class Use>
    static decltype(auto) with(std::string_view name, Use&& use) {
        return with_any<C...>(name, use);
    }

private:
    template <class First, class... Others, class Use>
    static decltype(auto) with_any(std::string_view name, Use& use) {
        if (name == First::traits.name) return use.template operator()<First>();
        if constexpr (sizeof...(Others) > 0) return with_any<Others...>(name, use);
        else throw std::invalid_argument("unknown criterion '" + std::string(name) + "'");
    }
};

using Criteria = CriterionList<Gini, Entropy, Error, Sqrt, GainRatio, Twoing, ChiSquare, Hellinger, WekaGain,  //
                               Superclasses<EntropyOfTwo>, Superclasses<GiniOfTwo>, Superclasses<SqrtOfTwo>,   //
                               SquaredError, AbsoluteError, Poisson>;

/// Whether a criterion has a scorer of its own; those that have not share the engines of Formula.
template <class C>
concept HasScorer = requires { typename C::TurnScorer; };

}  // namespace treewright
